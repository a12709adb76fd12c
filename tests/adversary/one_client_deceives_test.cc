// One client of nine that sends what has the right form and is not true, or sends it to some and
// not to others: R = 5, T = 1. What it says is tampered with on its way out; all parties are real.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <limits>

#include "tests/support/coded_sum.h"
#include "tests/support/stage_ending.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::expect_good_end;
using fedvs::testing::joined;
using fedvs::testing::kReuse;
using fedvs::testing::kWait;
using fedvs::testing::Stage;
using ::testing::HasSubstr;

constexpr int kInsider = 3;  // "client 4"

// A share on no polynomial that others' are on.
SharePtr spoiled(const SharePtr& share, int to) {
  constexpr int kBy[] = {1, 17, 5, 40, 2, 33, 9, 21, 60};
  auto values = share->matrix();
  for (int i = 0; i < kBy[to]; ++i) fedvs::testing::spoil(values, /*plane=*/0, 0, 1);
  return share_of(std::move(values));
}

MessagePtr spoiled_model(const MessagePtr& message, int to) {
  ModelShare share = std::get<ModelShare>(*message);
  share.values = spoiled(share.values, to);
  return make_message(std::move(share));
}

// ---- seeds of masks that it has not told of

constexpr int kMaker = 0;  // "client 1", who makes seeds that all others get

// It sends seeds other than those in its own list, to those whom `fooled` says.
void send_other_seeds(Stage& stage, std::function<bool(int to)> fooled) {
  stage.tamper = [=](int from, int to, MessagePtr message) {
    const auto* share = std::get_if<SeedShare>(message.get());
    if (share == nullptr || from != kMaker || share->maker != kMaker || !fooled(to)) return message;
    SeedShare wrong = *share;
    for (auto& entry : wrong.seeds) entry.seed[0] ^= 1;
    return make_message(std::move(wrong));
  };
}

TEST(OneClient, ThatSendsOneOtherASeedItHasNotToldOfIsComplainedOfAndOthersHelpOut) {
  Stage stage(kReuse);
  send_other_seeds(stage, [](int to) { return to == kInsider; });
  stage.start();
  stage.run();
  print_end(stage);
  expect_good_end(stage);
  EXPECT_THAT(stage.recorder.notes,
              ::testing::Contains(HasSubstr("client 4 complains of client 1: a seed of set")));
}

// What it can still do (docs/deploy.md): nothing begins without its seeds, as without its rows.
TEST(OneClient, ThatSendsNobodyTheSeedsItHasToldOfLetsNoTrainingBeginAndIsNamed) {
  Stage stage(kReuse);
  send_other_seeds(stage, [](int) { return true; });
  stage.start();
  stage.run();
  print_end(stage);
  ASSERT_FALSE(stage.server().status());
  EXPECT_EQ(stage.server().status().error().code, ErrorCode::kTooFewShares);
  EXPECT_TRUE(stage.plans.empty());
  for (int n = 1; n < 9; ++n) {
    const auto complaint = fmt::format("client {} complains of client 1: a seed of set", n + 1);
    EXPECT_THAT(stage.recorder.notes, ::testing::Contains(HasSubstr(complaint)));
  }
}

// ---- shares that lie on no polynomial

// What it can still do (docs/deploy.md): nobody can tell whose share is wrong, and the run stops.
TEST(OneClient, WhoseModelSharesAreOfNoPolynomialEndsTheRunWithoutAnyNameToBlame) {
  for (const auto& sets : {kWait, kReuse}) {
    Stage stage(sets);
    stage.start();
    stage.run_until_round(7);
    stage.tamper = [](int from, int to, MessagePtr message) {
      const bool wrong =
          from == kInsider && to % 2 == 0 && std::holds_alternative<ModelShare>(*message);
      return wrong ? spoiled_model(message, to) : message;
    };
    stage.run();
    print_end(stage);
    ASSERT_FALSE(stage.server().status());
    EXPECT_EQ(stage.server().status().error().code, ErrorCode::kCorrupt);
    for (int n = 0; n < 9; ++n) EXPECT_FALSE(stage.server().board().quarantined(n));
  }
}

// One victim after the other, whose uploads look wrong.
TEST(OneClient, ThatSendsOthersWrongSharesHasNoMoreThanTOfThemQuarantined) {
  Stage stage(joined(kReuse, {"train.epochs=12"}));
  stage.start();
  stage.run_until_round(7);
  stage.tamper = [&stage](int from, int to, MessagePtr message) {
    if (from != kInsider || !std::holds_alternative<ModelShare>(*message)) return message;
    for (const int victim : {0, 1, 2, 4, 5, 6, 7, 8}) {
      if (stage.server().board().quarantined(victim)) continue;
      return to == victim ? spoiled_model(message, to) : message;
    }
    return message;
  };
  stage.run();
  print_end(stage);
  int quarantined = 0;
  for (int n = 0; n < 9; ++n) quarantined += stage.server().board().quarantined(n) ? 1 : 0;
  std::printf("%d quarantined\n", quarantined);
  expect_good_end(stage);
  EXPECT_LE(quarantined, 1);
}

// ---- its model for some

// R - 1 others get its model, so that R uploads come with its own.
void leave_others_out(Stage& stage) {
  stage.lose = [](int from, int to, const Message& m) {
    return from == kInsider && to > 4 && std::holds_alternative<ModelShare>(m);
  };
}

TEST(OneClient, ThatSharesItsModelWithTooFewIsNoLongerCountedOnAndMayLeave) {
  for (const auto& sets : {kWait, kReuse}) {
    Stage stage(joined(sets, {"train.epochs=6"}), /*wait_for_return=*/100);
    stage.start();
    stage.run_until_round(7);
    leave_others_out(stage);
    stage.run_until_round(24);  // past max_age, when models that are not new are waited for, too
    stage.kill_client(kInsider);
    stage.run();
    print_end(stage);
    expect_good_end(stage);
    EXPECT_THAT(stage.recorder.notes,
                ::testing::Contains(HasSubstr("client 4 no longer counted on in round")));
    EXPECT_LT(stage.now(), 3 * stage.agreement().dead_after);
  }
}

// Whenever that is: R uploads have come, and the others still ask for its model.
TEST(OneClient, ThatSharesItsModelWithTooFewAndLeavesAtOnceLeavesThemTheOneBefore) {
  for (const auto& sets : {kWait, kReuse}) {
    for (const double after : {0.0, 0.01, 1.0, 10.0}) {
      Stage stage(joined(sets, {"train.epochs=6"}), /*wait_for_return=*/100);
      stage.start();
      stage.run_until_round(7);
      leave_others_out(stage);
      const double began = stage.now();
      stage.run([&] { return stage.server().rounds() > 8 || stage.now() > began + after; });
      stage.kill_client(kInsider);
      stage.run();
      print_end(stage);
      expect_good_end(stage);
      EXPECT_LT(stage.now(), 2 * stage.agreement().dead_after);
    }
  }
}

// It is only slow, or R others have its model: nobody waits.
TEST(OneClient, WhoseModelROthersHoldHoldsNobodyUp) {
  for (const auto& sets : {kWait, kReuse}) {
    Stage stage(joined(sets, {"train.epochs=6"}), /*wait_for_return=*/100);
    stage.start();
    stage.run_until_round(7);
    const double began = stage.now();
    stage.lose = [](int from, int to, const Message& m) {
      return from == kInsider && to > 5 && std::holds_alternative<ModelShare>(m);
    };
    stage.run_until_round(14);
    EXPECT_LT(stage.now() - began, 1);
    stage.kill_client(kInsider);
    stage.run();
    print_end(stage);
    expect_good_end(stage);
  }
}

// What it can still do with one other's death (docs/deploy.md): R others had its last model, and
// one of these goes for good as well.
TEST(OneClient, WhoseModelJustROthersHoldAndOneOfThemAreWaitedForByName) {
  Stage stage(joined(kWait, {"train.epochs=6"}), /*wait_for_return=*/100);
  stage.start();
  stage.run_until_round(7);
  stage.lose = [](int from, int to, const Message& m) {
    return from == kInsider && to > 5 && std::holds_alternative<ModelShare>(m);
  };
  stage.run_until_round(14);
  stage.kill_client(kInsider);
  stage.run_until_round(16);
  stage.kill_client(5);
  stage.run();
  print_end(stage);
  ASSERT_FALSE(stage.server().status());
  EXPECT_EQ(stage.server().status().error().code, ErrorCode::kTooFewShares);
  EXPECT_THAT(stage.server().status().error().message, HasSubstr("missing are clients 4 6"));
}

// One of R + 1 that are left says that it was not sent another's model.
TEST(OneClient, WhoseWordIsThatItLacksAModelEndsNoRun) {
  for (const auto& sets : {kWait, kReuse}) {
    Stage stage(joined(sets, {"train.epochs=6"}), /*wait_for_return=*/100);
    stage.start();
    stage.run_until_round(7);
    for (int n : {6, 7, 8}) stage.kill_client(n);
    stage.lose = [](int from, int to, const Message& m) {
      return from == 0 && to == kInsider && std::holds_alternative<ModelShare>(m);
    };
    stage.run();
    print_end(stage);
    expect_good_end(stage);
    EXPECT_LT(stage.now(), 3 * stage.agreement().dead_after);
  }
}

// ---- what it says again and again

TEST(OneClient, ThatReportsEverNewVersionsIsNotRemembered) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(7);
  constexpr int kReports = 500, kOlder = 32;
  StepNumber step = 1'000'000;
  for (int i = 0; i < kReports; ++i) {
    Report report{kInsider, stage.client(kInsider).holdings()};
    for (int sender = 0; sender < 9; ++sender) {
      report.holdings.newest[static_cast<std::size_t>(sender)] = HeldVersion{++step, 7};
      for (int v = 0; v < kOlder; ++v) {
        report.holdings.older.push_back({sender, HeldVersion{++step, 7}});
      }
    }
    stage.say(kInsider, kServer, std::move(report));
  }
  stage.deliver_all();
  const std::size_t kept = stage.server().board().versions_kept(kInsider);
  std::printf("%zu versions kept of %d told\n", kept, kReports * 9 * (kOlder + 1));
  EXPECT_LE(kept, 9u * 64u);
  stage.run();
  print_end(stage);
  expect_good_end(stage);
}

// Every portion of gradients is asked for as late as it may be.
TEST(OneClient, ThatCatchesUpAsSlowlyAsItCanHoldsNobodyUp) {
  Stage stage(joined(kReuse, {"train.epochs=400", "protocol.dead_after=2"}), 100);
  stage.tamper = [](int from, int, MessagePtr message) {
    if (from != kInsider) return message;
    Message said = *message;  // it never says that it has saved anything
    if (auto* report = std::get_if<Report>(&said)) report->holdings.saved = 0;
    if (auto* upload = std::get_if<Upload>(&said)) upload->holdings.saved = 0;
    return make_message(std::move(said));
  };
  stage.start();
  stage.run_until_round(500);
  const double began = stage.now();
  Prng random(Key256{7});
  Hello hello{.from = kInsider, .incarnation = {}, .step = 0};
  random.fill(hello.incarnation.bytes);
  hello.sharing = stage.client(kInsider).welcome().sharings[kInsider];
  hello.head = SignedHead{.index = 0, .link = first_link(stage.run_name())};
  Report report{kInsider, stage.client(kInsider).holdings()};
  report.holdings.saved = 0;
  stage.freeze_client(kInsider);
  stage.say(kInsider, kServer, hello);
  double said = stage.now(), opened = stage.now(), longest = 0;
  std::uint64_t rounds = stage.server().rounds();
  stage.run([&] {
    if (stage.now() - said > 1.5) {
      said = stage.now();
      stage.say(kInsider, kServer, report);
    }
    if (stage.server().rounds() != rounds) opened = stage.now();
    rounds = stage.server().rounds();
    longest = std::max(longest, stage.now() - opened);
    return stage.now() - began > 60 || rounds > 2000;
  });
  print_end(stage);
  std::printf("%.1f s without a round at the longest\n", longest);
  ASSERT_TRUE(stage.server().status()) << stage.server().status().error().message;
  EXPECT_LT(longest, 4 * 2.0);
  EXPECT_GT(stage.server().rounds(), 2000u);
}

Hello hello_of(Stage& stage, Prng& random) {
  Incarnation life;
  random.fill(life.bytes);
  return {.from = kInsider,
          .incarnation = life,
          .sharing = stage.sharing_of(kInsider),
          .seeds = stage.client(kInsider).seeds().own_list(),
          .head = stage.client(kInsider).heads()->head()};
}

// Nobody can train without its rows, but it makes no work for others while they wait.
TEST(OneClient, ThatSaysHelloAgainAndAgainBeforeTrainingMakesLittleWorkForOthers) {
  const auto messages_in_ten_seconds = [](bool floods) {
    Stage stage(kReuse);
    stage.lose = [](int from, int, const Message& m) {
      return from == kInsider && std::holds_alternative<Refusal>(m);
    };
    Prng random(Key256{7});
    stage.start();
    std::uint64_t hellos = 0, next = 0;
    stage.run([&] {
      if (floods && stage.sent >= next) {
        next = stage.sent + 20;
        ++hellos;
        stage.say(kInsider, kServer, hello_of(stage, random));
      }
      return stage.now() > 10 || stage.server().rounds() >= 1;
    });
    std::printf("%llu hellos: %llu messages in %.1f s\n", static_cast<unsigned long long>(hellos),
                static_cast<unsigned long long>(stage.sent), stage.now());
    return stage.sent;
  };
  const auto usual = messages_in_ten_seconds(/*floods=*/false);
  const auto flooded = messages_in_ten_seconds(/*floods=*/true);
  EXPECT_LT(flooded, 10 * usual);
}

// The first client draws the key that row ids are compared under, and all answer all.
TEST(OneClient, ThatSendsItsRowKeyAgainAndAgainIsNotAnswered) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(7);
  const auto before = stage.sent;
  for (int i = 0; i < 1000; ++i) {
    for (int to = 1; to < 9; ++to) stage.say(0, to, RowKey{0, Key256{1}});
  }
  std::uint64_t answers = 0;
  stage.lose = [&](int, int, const Message& m) {
    answers += std::holds_alternative<RowCheck>(m) ? 1 : 0;
    return false;
  };
  stage.run();
  std::printf("%llu answers to 8000 keys, %llu messages\n",
              static_cast<unsigned long long>(answers),
              static_cast<unsigned long long>(stage.sent - before));
  expect_good_end(stage);
  EXPECT_LE(answers, 8u * 9u * 4u);
}

TEST(OneClient, ThatIsSentAwayAgainAndAgainFillsNoLog) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(7);
  Prng random(Key256{7});
  for (int i = 0; i < 1000; ++i) {
    Hello hello = hello_of(stage, random);
    hello.step = std::numeric_limits<StepNumber>::max();
    stage.say(kInsider, kServer, std::move(hello));
  }
  stage.run();
  print_end(stage);
  expect_good_end(stage);
  int lines = 0;
  for (const auto& note : stage.recorder.notes)
    lines += note.find("client 4 has applied") != std::string::npos;
  std::printf("%d lines\n", lines);
  EXPECT_LE(lines, 20);
}

}  // namespace
}  // namespace fedvs::protocol
