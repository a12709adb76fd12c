// One client of nine that is away when the server comes back, or catches up too slowly, against eight
// that can go on: R = 5. Each ended a run while plans were told to clients that had not said which
// they had seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/stage_ending.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::expect_good_end;
using fedvs::testing::joined;
using fedvs::testing::kReuse;
using fedvs::testing::Stage;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr int kInsider = 3;  // "client 4"

void print_end(Stage& stage) {
  const auto& status = stage.server().status();
  std::printf(
      "rounds %llu after %.1f s, %s\n", static_cast<unsigned long long>(stage.server().rounds()),
      stage.now(),
      status ? (stage.server().done() ? "done" : "stands still") : status.error().message.c_str());
}

Hello hello_of(Stage& stage, Prng& random) {
  auto& client = stage.client(kInsider);
  Hello hello{.from = kInsider,
              .incarnation = {},
              .step = client.model().step(),
              .chain = client.model().chain(client.model().step()),
              .next_revision = 0,
              .data_complete = true,
              .sharing = stage.sharing_of(kInsider),
              .head = client.heads()->head()};
  random.fill(hello.incarnation.bytes);
  return hello;
}

// ---- plans that are not kept any more

TEST(AwayAtARestart, EndsNoRunWhosePlansAreNotAllKept) {
  for (const bool forgets : {false, true}) {
    Stage stage(joined(kReuse, {"train.epochs=10"}), 100);
    if (forgets) stage.server_folder().heads.keep_at_most(20);
    stage.start();
    stage.run_until_round(40);
    stage.kill_client(8);
    stage.run_until_round(45);
    EXPECT_EQ(stage.server_folder().heads.oldest_step() > 1, forgets);
    stage.kill_server();
    stage.start_server();
    stage.run();
    print_end(stage);
    expect_good_end(stage);
  }
}

// Not even the plans that are kept: before it has said hello nobody knows which of them it has
// seen.
TEST(AwayAtARestart, IsToldNothingBeforeItSaysHello) {
  Stage stage(joined(kReuse, {"train.epochs=10"}), 100);
  stage.start();
  stage.run_until_round(40);
  stage.kill_client(8);
  stage.run_until_round(45);
  stage.kill_server();
  int told = 0;
  stage.lose = [&](int from, int to, const Message& m) {
    const bool plan = std::holds_alternative<MissedPlan>(m) || std::holds_alternative<Step>(m);
    told += from == kServer && to == 8 && plan ? 1 : 0;
    return false;
  };
  stage.start_server();
  stage.run_until_round(50);
  std::printf("%d messages\n", told);
  EXPECT_EQ(told, 0);
  stage.start_client(8);
  stage.run();
  expect_good_end(stage);
  EXPECT_EQ(stage.client(8).model().step(), stage.server().steps_sent());
}

// It is told of the first 256 plans that it missed, and the next one is not kept any more when it
// asks for it.
TEST(CatchingUp, UntilPlansAreForgottenEndsNoRun) {
  constexpr std::uint64_t kKept = 700;
  Stage stage(joined(kReuse, {"train.epochs=400"}), 100);
  auto& heads = stage.server_folder().heads;
  heads.keep_at_most(kKept);
  stage.start();
  stage.run([&] { return heads.last() == kKept - 100; });
  Prng random(Key256{7});
  const Report report{kInsider, stage.client(kInsider).holdings()};
  Hello hello = hello_of(stage, random);
  hello.head = SignedHead{.index = 0, .link = first_link(stage.run_name())};
  stage.freeze_client(kInsider);
  stage.say(kInsider, kServer, hello);
  stage.run([&] { return heads.oldest_step() > 300; });
  ASSERT_TRUE(stage.server().behind(kInsider));
  const auto rounds = stage.server().rounds();
  stage.say(kInsider, kServer, report);
  stage.run([&] { return stage.server().rounds() > rounds + 100; });
  print_end(stage);
  ASSERT_TRUE(stage.server().status()) << stage.server().status().error().message;
  EXPECT_GT(stage.server().rounds(), rounds + 100);
  EXPECT_FALSE(stage.server().behind(kInsider));
  EXPECT_THAT(stage.recorder.notes,
              Contains(HasSubstr("client 4 has seen 256 plans of 701, and those before plan 351 "
                                 "are not kept any more")));
}

}  // namespace
}  // namespace fedvs::protocol
