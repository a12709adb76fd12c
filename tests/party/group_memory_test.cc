#include "fedvs/party/group_memory.h"

#include <gmock/gmock.h>

#include "tests/store/scratch_folder.h"

namespace fedvs::party {
namespace {

using protocol::Groups;

class GroupMemoryTest : public ::testing::Test {
 protected:
  GroupMemory open(const std::vector<std::string>& ids) {
    return GroupMemory::open(folder_ / "groups.ckpt", row_marks({}, ids)).value();
  }
  ScratchFolder folder_;
  const Groups first_{{0, 1, 2}, {3, 4, 5}}, second_{{0, 1, 5}, {2, 3, 4}};
};

TEST_F(GroupMemoryTest, BindsTheSameRowsAndNoOthers) {
  EXPECT_TRUE(open({"a", "b"}).binding(6).value().empty());
  ASSERT_TRUE(open({"a", "b"}).keep(first_));
  EXPECT_EQ(open({"a", "b"}).binding(6).value(), first_);
  EXPECT_TRUE(open({"c", "d"}).binding(6).value().empty());
  EXPECT_TRUE(open({"a", "b"}).binding(7).value().empty()) << "groups of another deployment";
}

TEST_F(GroupMemoryTest, ARowMoreOrLessDoesNotUnbind) {
  ASSERT_TRUE(open({"a", "b", "c"}).keep(first_));
  EXPECT_EQ(open({"c", "d"}).binding(6).value(), first_);
  ASSERT_TRUE(open({"c", "d"}).keep(first_));
  EXPECT_EQ(open({"d", "e"}).binding(6).value(), first_);
}

TEST_F(GroupMemoryTest, RowsOfTwoRunsWithDifferentGroupsAreRefusedTogether) {
  ASSERT_TRUE(open({"a"}).keep(first_));
  ASSERT_TRUE(open({"b"}).keep(second_));
  EXPECT_EQ(open({"a"}).binding(6).value(), first_);
  EXPECT_EQ(open({"b"}).binding(6).value(), second_);
  const auto both = open({"a", "b"}).binding(6);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code, ErrorCode::kRefused);
}

TEST_F(GroupMemoryTest, ATornFileIsAnErrorAndNotFreedom) {
  ASSERT_TRUE(open({"a"}).keep(first_));
  const auto file = contents_of(folder_ / "groups.ckpt");
  put(folder_ / "groups.ckpt", file.substr(0, file.size() / 2));
  EXPECT_FALSE(GroupMemory::open(folder_ / "groups.ckpt", {}));
}

}  // namespace
}  // namespace fedvs::party
