#include "fedvs/party/own_sharing.h"

#include <gmock/gmock.h>

#include "tests/store/scratch_folder.h"

namespace fedvs::party {
namespace {

class OwnSharingTest : public ::testing::Test {
 protected:
  OwnSharing open(std::uint8_t shared) {
    Digest digest;
    digest.fill(shared);
    return own_sharing(folder_.path(), key_, digest).value();
  }
  ScratchFolder folder_;
  const seal::SecretKey key_ = seal::SecretKey::generate();
};

TEST_F(OwnSharingTest, TheSameRowsAreTheSameSharingInEveryLife) {
  const auto first = open(1), again = open(1);
  EXPECT_EQ(first.id, again.id);
  EXPECT_TRUE(first.mask_key == again.mask_key);
}

TEST_F(OwnSharingTest, WhateverElseIsSharedHasAnIdAndMasksOfItsOwn) {
  const auto first = open(1), other = open(2), back = open(1);
  EXPECT_NE(first.id, other.id);
  EXPECT_FALSE(first.mask_key == other.mask_key);
  EXPECT_NE(first.id, back.id) << "drawn anew: others may have thrown the first one away";
  EXPECT_FALSE(first.mask_key == back.mask_key);
}

TEST_F(OwnSharingTest, AFolderThatWasMovedAwayIsAnotherSharing) {
  const auto first = open(1);
  std::filesystem::remove(folder_ / "sharing.ckpt");
  const auto second = open(1);
  EXPECT_NE(first.id, second.id);
  EXPECT_FALSE(first.mask_key == second.mask_key);
}

// Its copy at another place, or an older one restored, knows an id that was used before.
TEST_F(OwnSharingTest, ACopiedFolderCannotMaskOtherRowsAlike) {
  const auto first = open(1);
  const auto file = contents_of(folder_ / "sharing.ckpt");
  const auto other = open(2);
  put(folder_ / "sharing.ckpt", file);
  const auto copied = open(2);
  EXPECT_FALSE(copied.mask_key == first.mask_key);
  EXPECT_FALSE(copied.mask_key == other.mask_key);
}

TEST_F(OwnSharingTest, ATornFileIsAnErrorAndNotANewSharing) {
  open(1);
  const auto file = contents_of(folder_ / "sharing.ckpt");
  put(folder_ / "sharing.ckpt", file.substr(0, file.size() - 1));
  EXPECT_FALSE(own_sharing(folder_.path(), key_, Digest{}));
}

}  // namespace
}  // namespace fedvs::party
