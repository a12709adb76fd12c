// Wrong uploads are detected by surplus ones, and corrected where the job pays for it.
#include <gmock/gmock.h>

#include "tests/support/coded_sum.h"
#include "tests/support/world_fixture.h"

namespace fedvs {
namespace {

using protocol::MessagePtr;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::Sets;

// A slow server: all uploads come while it opens the first five.
const Sets kSurplus = {"sim.delays=none", "sim.server_gmacs=0.0005"};
constexpr int kCheat = 3;

MessagePtr spoiled_upload(const MessagePtr& message) {
  const auto& upload = std::get<protocol::Upload>(*message);
  auto values = upload.values->clone();
  testing::spoil(values, /*plane=*/0, 1, 2);
  return make_message(protocol::Upload{upload.from, upload.revision, upload.tag,
                                       std::make_shared<const field::RingMatrix>(std::move(values)),
                                       upload.holdings});
}

void spoil_uploads_of(testing::Trial& trial, int cheat, std::uint64_t from_revision) {
  trial.tamper([=](int from, int, MessagePtr message) {
    const auto* upload = std::get_if<protocol::Upload>(message.get());
    const bool wrong = upload != nullptr && from == cheat && upload->revision >= from_revision;
    return wrong ? spoiled_upload(message) : message;
  });
}

void expect_quarantine(const testing::Trial& trial, int cheat) {
  ASSERT_TRUE(trial.world->status()) << trial.world->status().error().message;
  const std::string name = "client " + std::to_string(cheat + 1);
  EXPECT_THAT(trial.recorder.notes,
              Contains(HasSubstr(name + " quarantined in round 4: its upload was wrong, by its own "
                                        "doing or by a share that another client sent it")));
  EXPECT_GE(trial.rounds().size(), 17u);
}

TEST(Corruption, AWrongUploadIsFoundOutByTheSurplusAndItsSenderQuarantined) {
  for (int cheat : {0, kCheat, 8}) {  // among the first R, or after them
    auto trial = testing::make_world(kSurplus);
    spoil_uploads_of(*trial, cheat, 4);
    trial->run();
    expect_quarantine(*trial, cheat);
    EXPECT_EQ(trial->rounds()[4].wrong, std::vector{cheat});
  }
}

TEST(Corruption, OneSurplusUploadDetectsAWrongOneWithoutKnowingWhich) {
  auto trial = testing::make_world(kSurplus);
  trial->tamper([](int from, int, MessagePtr message) {
    const auto* upload = std::get_if<protocol::Upload>(message.get());
    if (upload == nullptr) return message;
    if (from > 5) return MessagePtr{};  // R + 1 = 6 uploads are left
    return from == kCheat && upload->revision >= 4 ? spoiled_upload(message) : message;
  });
  trial->run();
  const Status status = trial->world->status();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
  EXPECT_THAT(status.error().message, HasSubstr("do not lie on one polynomial"));
}

TEST(Corruption, AWrongModelShareIsDetectedInItsRecipientsUpload) {
  auto trial = testing::make_world(kSurplus);
  trial->tamper([](int from, int to, MessagePtr message) {
    const auto* share = std::get_if<protocol::ModelShare>(message.get());
    if (share == nullptr || from != 2 || to != kCheat || share->version.step != 4) return message;
    auto values = share->values->matrix();
    testing::spoil(values, /*plane=*/1, 0, 0);
    return make_message(protocol::ModelShare{share->from, share->version, share->chain,
                                             protocol::share_of(std::move(values))});
  });
  trial->run();
  expect_quarantine(*trial, kCheat);
}

TEST(Corruption, ALateWrongUploadIsDetectedToo) {
  // Given uploads that arrive one after the other, the cheat's after the opening of its plan.
  auto trial = testing::make_world({"sim.delays=none", "sim.server_gmacs=1000"});
  spoil_uploads_of(*trial, 8, 4);
  trial->run();
  ASSERT_TRUE(trial->world->status()) << trial->world->status().error().message;
  EXPECT_THAT(trial->recorder.notes, Contains(HasSubstr("client 9 quarantined in round 5")));
}

const Sets kCorrect = {"protocol.on_corrupt=correct", "protocol.corrupt_uploads=1"};

TEST(Corruption, IsCorrectedWhereTheJobWaitsForEnoughUploads) {
  for (const Sets& speed : {Sets{}, kSurplus}) {
    const Sets sets = testing::joined(kCorrect, speed);
    const auto honest = testing::run_world(sets);
    auto trial = testing::make_world(sets);
    spoil_uploads_of(*trial, kCheat, 4);
    trial->run();
    ASSERT_TRUE(trial->world->status()) << trial->world->status().error().message;
    EXPECT_EQ(trial->recorder.losses(), honest->recorder.losses());
    EXPECT_EQ(trial->probabilities(), honest->probabilities());
    EXPECT_THAT(trial->recorder.notes,
                Contains(HasSubstr("wrong uploads corrected, of clients 4")));
    int found = 0;
    for (const auto& record : trial->rounds()) {
      for (int wrong : record.wrong) EXPECT_EQ(wrong, kCheat);
      found += !record.wrong.empty();
    }
    EXPECT_GT(found, 5);
  }
}

TEST(Corruption, MoreWrongUploadsThanTheJobCorrectsStopTheRun) {
  auto trial = testing::make_world(testing::joined(kCorrect, kSurplus));
  trial->tamper([](int from, int, MessagePtr message) {
    const auto* upload = std::get_if<protocol::Upload>(message.get());
    return upload != nullptr && from < 2 ? spoiled_upload(message) : message;
  });
  trial->run();
  const Status status = trial->world->status();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace fedvs
