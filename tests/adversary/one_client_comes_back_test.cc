// One client of nine that says hello again and again, or is away when the server comes back,
// against eight that can go on: R = 5, T = 1. Each of these ended a run or stood it still for ever
// while a hello put off what its client owed, and while plans were told to clients that had not
// said which they had seen. Some of it is an attack, some of it is what a bad disk or a crash loop
// does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "tests/support/stage_ending.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::expect_good_end;
using fedvs::testing::joined;
using fedvs::testing::kReuse;
using fedvs::testing::kWait;
using fedvs::testing::print_end;
using fedvs::testing::Stage;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kInsider = 3;  // "client 4"
constexpr double kDeadAfter = 60;

Hello hello_of(Stage& stage, Prng& random) {
  auto& client = stage.client(kInsider);
  Hello hello{.from = kInsider,
              .incarnation = {},
              .step = client.model().step(),
              .chain = *client.model().chain().find(client.model().step()),
              .sharing = stage.sharing_of(kInsider),
              .head = client.heads()->head()};
  random.fill(hello.incarnation.bytes);
  return hello;
}

// With the oldest folder that may come back.
Hello old_hello_of(Stage& stage, Prng& random) {
  Hello hello = hello_of(stage, random);
  const auto& gradients = stage.server_folder().gradients;
  hello.step = gradients.oldest();
  hello.chain = gradients.read(hello.step)->before;
  hello.head = SignedHead{.index = 0, .link = first_link(stage.run_name())};
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

// ---- a hello puts nothing off

struct Withholding {
  std::uint64_t from_round = 7;
  std::function<bool(int to)> from = [](int) { return true; };
  bool reports = true;
  // Every 20 s, a third of dead_after.
  std::function<Hello(Stage&, Prng&)> says = hello_of;
};

// Two hours at the most; how the run fared.
void withhold(Stage& stage, const Withholding& how) {
  stage.start();
  stage.run_until_round(how.from_round);
  stage.lose = [=](int from, int to, const Message& m) {
    if (from != kInsider) return false;
    if (!how.reports && to == kServer && !std::holds_alternative<Hello>(m)) return true;
    return std::holds_alternative<Refusal>(m) ||
           (to != kInsider && std::holds_alternative<ModelShare>(m) && how.from(to));
  };
  Prng random(Key256{7});
  double said = stage.now();
  const double began = stage.now();
  stage.run([&] {
    if (stage.now() - said > kDeadAfter / 3) {
      said = stage.now();
      stage.say(kInsider, kServer, how.says(stage, random));
    }
    return stage.now() - began > 7200;
  });
  print_end(stage);
}

// It alone is named.
void expect_struck(Stage& stage, double within) {
  expect_good_end(stage);
  EXPECT_LT(stage.now(), within);
  EXPECT_EQ(stage.server().why_not_counted_on(kInsider), "does not share its model");
  for (const auto& note : stage.recorder.notes) {
    if (note.find("no longer counted on") == note.npos) continue;
    EXPECT_THAT(note, HasSubstr("client 4 no longer counted on"));
  }
}

TEST(OneClient, ThatWithholdsItsModelAndSaysHelloAgainAndAgainIsNoLongerCountedOn) {
  for (const auto& sets : {kWait, kReuse}) {
    for (const std::uint64_t round : {2u, 7u}) {
      Stage stage(joined(sets, {"train.epochs=40"}));
      withhold(stage, {.from_round = round});
      expect_struck(stage, 3 * kDeadAfter);
    }
  }
}

// R hold it, itself among them, and not one more. A sum that is opened with it, since its hello had
// it asked for another one, takes the place of the models before: then R can go on with it only.
TEST(OneClient, ThatSharesItsModelWithTooFewAndSaysHelloAgainAndAgainIsNoLongerCountedOn) {
  for (const auto& sets : {kWait, kReuse}) {
    Stage stage(joined(sets, {"train.epochs=40"}));
    withhold(stage, {.from = [](int to) { return to > 4; }});
    expect_struck(stage, 3 * kDeadAfter);
  }
}

TEST(OneClient, ThatBeginsToCatchUpAgainAndAgainIsNoLongerCountedOn) {
  for (const std::uint64_t round : {2u, 7u}) {
    Stage stage(joined(kReuse, {"train.epochs=40"}));
    withhold(stage, {.from_round = round, .reports = false, .says = old_hello_of});
    expect_struck(stage, 4 * kDeadAfter);
  }
}

// The same hello again is none: who says nothing else is dead.
TEST(OneClient, ThatSaysTheSameHelloAgainAndAgainIsDeclaredDead) {
  for (const std::uint64_t round : {2u, 7u}) {
    Stage stage(joined(kReuse, {"train.epochs=40"}));
    const auto same = [](Stage& s, Prng& random) {
      Hello hello = hello_of(s, random);
      hello.incarnation = s.client(kInsider).welcome().clients[kInsider];
      return hello;
    };
    withhold(stage, {.from_round = round, .reports = false, .says = same});
    expect_good_end(stage);
    EXPECT_LT(stage.now(), 3 * kDeadAfter);
    EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 4 declared dead in round")));
  }
}

// Its operator has it started again and again; its model needs longer than it lives.
TEST(OneClient, InACrashLoopHoldsNobodyUp) {
  for (const std::uint64_t round : {2u, 7u}) {
    Stage stage(joined(kReuse, {"train.epochs=40"}));
    stage.start();
    stage.run_until_round(round);
    stage.takes = [](int from, int to, const Message& m) {
      return from == kInsider && to != kInsider && std::holds_alternative<ModelShare>(m) ? 25 : 0;
    };
    const double began = stage.now();
    double started = began;
    stage.run([&] {
      if (stage.now() - started > kDeadAfter / 3) {
        started = stage.now();
        stage.kill_client(kInsider);
        stage.start_client(kInsider);
      }
      return stage.now() - began > 7200;
    });
    print_end(stage);
    expect_good_end(stage);
    EXPECT_LT(stage.now(), 4 * kDeadAfter);
  }
}

TEST(OneClient, ThatComesBackNowAndThenAndSharesItsModelIsCountedOn) {
  for (const auto& sets : {kWait, kReuse}) {
    Stage stage(joined(sets, {"train.epochs=40"}));
    stage.takes = [](int from, int to, const Message& m) {
      return from == kInsider && to != kInsider && std::holds_alternative<ModelShare>(m) ? 5 : 0;
    };
    stage.start();
    double came = 0;
    int returns = 0;
    stage.run([&] {
      if (stage.now() - came > kDeadAfter / 3 && stage.server().rounds() > 2) {
        came = stage.now();
        ++returns;
        stage.come_back(kInsider);
      }
      return stage.server().rounds() >= 100;
    });
    std::printf("%d returns\n", returns);
    print_end(stage);
    EXPECT_GE(returns, 3);
    EXPECT_GE(stage.server().rounds(), 100u);
    EXPECT_THAT(stage.recorder.notes, Not(Contains(HasSubstr("no longer counted on"))));
  }
}

}  // namespace
}  // namespace fedvs::protocol
