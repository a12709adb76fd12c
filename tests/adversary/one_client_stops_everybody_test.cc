// One client of nine, by its word, its silence or its state, against eight that can go on: R = 5,
// T = 1. Every attack ended or stood still a run before the server judged what a client may claim
// and who may be counted on. The client is played by hand; all others are the real ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

#include "tests/support/coded_sum.h"
#include "tests/support/stage_ending.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::expect_good_end;
using fedvs::testing::joined;
using fedvs::testing::kReuse;
using fedvs::testing::kWait;
using fedvs::testing::print_end;
using fedvs::testing::Sets;
using fedvs::testing::Stage;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kInsider = 3;  // "client 4"

// Everybody else has trained to the end.
void expect_the_others_go_on(Stage& stage) {
  expect_good_end(stage);
  std::printf("ended after %llu rounds, %.1f s\n",
              static_cast<unsigned long long>(stage.server().rounds()), stage.now());
}

// ---- refusals

TEST(OneClient, ThatRefusesIsQuarantinedByNameAndTheOthersGoOn) {
  for (const auto& sets : {kWait, kReuse}) {
    Stage stage(sets);
    stage.start();
    stage.run_until_round(7);
    stage.say(kInsider, kServer, Refusal{kInsider, 9, "I do not like it"});
    stage.run();
    print_end(stage);
    expect_the_others_go_on(stage);
    EXPECT_THAT(stage.recorder.notes,
                Contains(HasSubstr("client 4 quarantined in round 7: it refused revision 9: I do "
                                   "not like it")));
    EXPECT_THAT(stage.server().why_not_counted_on(kInsider), HasSubstr("quarantined"));
    EXPECT_EQ(stage.client(kInsider).farewell()->ending, Ending::kRefused);
    for (const auto& record : stage.recorder.rounds) {
      if (record.plan->round <= 8) continue;
      EXPECT_THAT(record.responders, Not(Contains(kInsider)));
    }
  }
}

TEST(OneClient, WithAnAccompliceMayRefuseAndTheRunEndsNamingBoth) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(7);
  stage.say(kInsider, kServer, Refusal{kInsider, 9, "one reason"});
  stage.say(5, kServer, Refusal{5, 9, "another reason"});
  stage.run();
  ASSERT_FALSE(stage.server().status());
  EXPECT_EQ(stage.server().status().error().code, ErrorCode::kRefused);
  const auto& message = stage.server().status().error().message;
  EXPECT_THAT(message, HasSubstr("2 clients refuse, more than T = 1"));
  EXPECT_THAT(message, HasSubstr("client 4: it refused revision 9: one reason"));
  EXPECT_THAT(message, HasSubstr("client 6: it refused revision 9: another reason"));
}

TEST(OneClient, StaysQuarantinedOverARestartOfTheServerUntilItsOperatorStartsIt) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(7);
  stage.say(kInsider, kServer, Refusal{kInsider, 9, "no"});
  stage.run_until_round(9);
  stage.kill_client(kInsider);  // its process ends with the farewell
  stage.kill_server();
  stage.start_server();
  stage.run_until_round(11);
  EXPECT_THAT(stage.server().why_not_counted_on(kInsider), HasSubstr("it refused revision 9: no"));
  stage.start_client(kInsider);
  stage.run();
  expect_the_others_go_on(stage);
  EXPECT_EQ(stage.server().why_not_counted_on(kInsider), "");
  EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 4 takes part again")));
  EXPECT_THAT(stage.recorder.rounds.back().plan->versions[kInsider]->step,
              ::testing::Ge(stage.recorder.rounds.back().plan->round - 10));
}

TEST(OneClient, ThatRefusesAgainAndAgainIsNotLetInAgain) {
  Stage stage(joined(kReuse, {"train.epochs=6"}));
  stage.start();
  for (std::uint64_t round : {7u, 11u, 15u, 19u}) {
    stage.run_until_round(round);
    stage.say(kInsider, kServer, Refusal{kInsider, 9, "no"});
    stage.run_until_round(round + 2);
    stage.kill_client(kInsider);
    stage.start_client(kInsider);
  }
  stage.run();
  expect_the_others_go_on(stage);
  EXPECT_THAT(stage.server().why_not_counted_on(kInsider), HasSubstr("quarantined"));
}

// ---- what a hello claims

void change_hello(Stage& stage, int from, const std::function<void(Hello&)>& change) {
  auto before = stage.tamper;
  stage.tamper = [=](int sender, int to, MessagePtr message) {
    if (before) message = before(sender, to, std::move(message));
    const auto* hello = std::get_if<Hello>(message.get());
    if (hello == nullptr || sender != from) return message;
    Hello changed = *hello;
    change(changed);
    return make_message(changed);
  };
}

TEST(OneClient, ThatClaimsStepsNobodySentIsSentAwayAndMoreThanTMeanAnOldFolder) {
  for (const bool two : {false, true}) {
    Stage stage(kReuse);
    stage.start();
    stage.run_until_round(7);
    const auto odd = [](Hello& hello) { hello.step = 1000; };
    change_hello(stage, kInsider, odd);
    if (two) change_hello(stage, 5, odd);
    stage.kill_server();
    stage.start_server();
    stage.run();
    print_end(stage);
    if (!two) {
      expect_the_others_go_on(stage);
      EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 4 has applied 1000 gradients")));
      continue;
    }
    ASSERT_FALSE(stage.server().status());
    EXPECT_THAT(stage.server().status().error().message,
                AllOf(HasSubstr("client 4 (1000 gradients), client 6 (1000 gradients)"),
                      HasSubstr("the server's folder is older than the run")));
  }
}

TEST(OneClient, ThatComesBackWithOddClaimsInTheMiddleIsSentAway) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(7);
  change_hello(stage, kInsider,
               [](Hello& hello) { hello.step = std::numeric_limits<std::uint64_t>::max(); });
  stage.come_back(kInsider);
  stage.run();
  expect_the_others_go_on(stage);
}

// ---- what it does not deliver

TEST(OneClient, ThatWithholdsItsModelFromAllIsNoLongerCountedOn) {
  for (const auto& sets : {kWait, kReuse}) {
    Stage stage(sets);
    stage.start();
    stage.run_until_round(7);
    stage.lose = [](int from, int to, const Message& m) {
      return from == kInsider && to != kInsider && std::holds_alternative<ModelShare>(m);
    };
    stage.run();
    print_end(stage);
    expect_the_others_go_on(stage);
    EXPECT_THAT(stage.recorder.notes,
                Contains(HasSubstr("client 4 no longer counted on in round")));
    EXPECT_EQ(stage.server().why_not_counted_on(kInsider), "does not share its model");
    EXPECT_LT(stage.now(), 4 * 60);
  }
}

TEST(OneClient, ThatWithheldItsModelRedeemsItselfByDelivering) {
  Stage stage(joined(kReuse, {"protocol.dead_after=0.5", "train.epochs=40"}));
  stage.start();
  stage.run_until_round(7);
  stage.lose = [](int from, int to, const Message& m) {
    return from == kInsider && to != kInsider && std::holds_alternative<ModelShare>(m);
  };
  stage.run([&] { return !stage.server().why_not_counted_on(kInsider).empty(); });
  EXPECT_EQ(stage.server().why_not_counted_on(kInsider), "does not share its model");
  stage.lose = {};
  stage.run();
  expect_the_others_go_on(stage);
  EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 4 shares its model again")));
  EXPECT_EQ(stage.server().why_not_counted_on(kInsider), "");
}

TEST(OneClient, ThatWithholdsItsModelFromSomeHoldsNobodyUpWhileROthersAreAble) {
  // R = 3 of nine: with slack, five would be waited for.
  Stage stage(joined(kReuse, {"code.K=1"}));
  stage.start();
  stage.run_until_round(7);
  stage.lose = [](int from, int to, const Message& m) {
    return from == kInsider && to > kInsider && std::holds_alternative<ModelShare>(m);
  };
  stage.run();
  print_end(stage);
  expect_good_end(stage);
  EXPECT_EQ(stage.server().why_not_counted_on(kInsider), "");
}

TEST(OneClient, ThatSaysItCouldUploadAndDoesNotIsNoLongerCountedOn) {
  // Given six that are left, of whom one has R of everything by its own word only.
  Stage stage(joined(kReuse, {"code.K=3"}));  // R = 7
  stage.start();
  stage.run_until_round(7);
  stage.lose = [](int from, int, const Message& m) {
    return from == kInsider && std::holds_alternative<Upload>(m);
  };
  stage.kill_client(8);
  stage.run([&] { return stage.server().rounds() >= 12; });
  stage.kill_client(7);  // now R - 1 are left that upload
  stage.run([&] { return !stage.server().why_not_counted_on(kInsider).empty(); });
  EXPECT_EQ(stage.server().why_not_counted_on(kInsider), "does not upload") << stage.describe();
  stage.start_client(7);
  stage.run();
  expect_the_others_go_on(stage);
}

// ---- an old or lost folder

TEST(OneClient, WhoseCheckpointIsGoneCatchesUpOrIsSentAway) {
  for (const std::uint64_t round : {2u, 7u, 12u}) {
    for (const auto& sets : {kWait, kReuse}) {
      Stage stage(sets);
      stage.start();
      stage.run_until_round(round);
      stage.kill_client(kInsider);
      stage.folder(kInsider).checkpoint.clear();
      stage.folder(kInsider).models.clear();
      stage.folder(kInsider).plans.clear();
      stage.start_client(kInsider);
      stage.run();
      print_end(stage);
      expect_the_others_go_on(stage);
    }
  }
}

TEST(OneClient, OfSixWhoseCheckpointIsGoneDoesNotWedgeTheOthers) {
  for (const std::uint64_t round : {2u, 6u, 7u, 9u, 12u}) {
    for (int victim = 0; victim < 6; ++victim) {
      Stage stage(Sets{"data.clients=6", "code.K=1", "protocol.dead_after=3"});
      stage.start();
      stage.run_until_round(round);
      stage.kill_client(victim);
      stage.run_until_round(round + 1);
      stage.folder(victim).checkpoint.clear();
      stage.folder(victim).models.clear();
      stage.folder(victim).plans.clear();
      stage.start_client(victim);
      stage.run();
      EXPECT_TRUE(stage.server().done())
          << "round " << round << " victim " << victim + 1 << ": " << stage.describe() << "\n"
          << (stage.server().status() ? "" : stage.server().status().error().message);
    }
  }
}

// ---- wrong uploads

MessagePtr spoiled(const MessagePtr& message) {
  const auto& upload = std::get<Upload>(*message);
  auto values = upload.values->clone();
  fedvs::testing::spoil(values, /*plane=*/0, 1, 2);
  return make_message(Upload{.from = upload.from,
                             .revision = upload.revision,
                             .tag = upload.tag,
                             .values = std::make_shared<const field::RingMatrix>(std::move(values)),
                             .holdings = upload.holdings});
}

TEST(OneClient, WhoseUploadsAreWrongIsFoundOutAndQuarantined) {
  for (int cheat : {0, kInsider, 8}) {
    Stage stage(kReuse);
    stage.start();
    stage.run_until_round(7);
    stage.tamper = [=](int from, int, MessagePtr message) {
      return from == cheat && std::holds_alternative<Upload>(*message) ? spoiled(message) : message;
    };
    stage.run();
    print_end(stage);
    expect_the_others_go_on(stage);
    EXPECT_THAT(stage.recorder.notes,
                Contains(HasSubstr(fmt::format("client {} quarantined in round", cheat + 1))));
    EXPECT_THAT(stage.recorder.notes,
                Contains(HasSubstr("by its own doing or by a share that another client sent it")));
  }
}

TEST(OneClient, WhoseUploadsHaveAWrongSizeLosesOnlyThem) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(7);
  stage.tamper = [](int from, int, MessagePtr message) {
    const auto* upload = std::get_if<Upload>(message.get());
    if (upload == nullptr || from != kInsider) return message;
    auto values = std::make_shared<const field::RingMatrix>(upload->values->ring(), 1,
                                                            upload->values->cols());
    return make_message(Upload{.from = upload->from,
                               .revision = upload->revision,
                               .tag = upload->tag,
                               .values = std::move(values),
                               .holdings = upload->holdings});
  };
  stage.run();
  expect_the_others_go_on(stage);
  EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 4 uploaded 1 x 4 values")));
}

// ---- what it says of others

TEST(OneClient, ThatSharesNonsenseIsComplainedOfAndNobodyRefuses) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(7);
  stage.tamper = [](int from, int, MessagePtr message) {
    const auto* share = std::get_if<ModelShare>(message.get());
    if (share == nullptr || from != kInsider) return message;
    ModelShare forked = *share;
    forked.chain[0] ^= 1;
    return make_message(forked);
  };
  stage.run();
  print_end(stage);
  expect_the_others_go_on(stage);
  EXPECT_THAT(stage.recorder.notes,
              Contains(HasSubstr("client 1 complains of client 4: its model of step")));
  for (int n = 0; n < 9; ++n) EXPECT_THAT(stage.client(n).refusals(), ::testing::IsEmpty());
}

TEST(OneClient, ThatComplainsHasNothingDoneAboutIt) {
  Stage stage(kReuse);
  stage.start();
  stage.run_until_round(7);
  for (int i = 0; i < 1000; ++i) {
    stage.say(kInsider, kServer, Complaint{kInsider, i % 9, "it is bad"});
  }
  stage.run();
  expect_the_others_go_on(stage);
  int lines = 0;
  for (const auto& note : stage.recorder.notes)
    lines += note.find("complains") != std::string::npos;
  EXPECT_LE(lines, 12);
}

// It keeps nobody alive by models that it says it holds.
TEST(OneClient, ThatReportsWhatCannotBeIsNotBelieved) {
  Stage stage(joined(kReuse, {"protocol.max_age=3"}));
  stage.start();
  stage.run_until_round(7);
  stage.freeze_client(8);
  stage.tamper = [step = StepNumber{100}](int from, int, MessagePtr message) mutable {
    const auto* report = std::get_if<Report>(message.get());
    if (report == nullptr || from != kInsider) return message;
    Report lie = *report;
    lie.holdings.newest[8] = HeldVersion{step++, 7};
    return make_message(std::move(lie));
  };
  stage.run();
  expect_the_others_go_on(stage);
  EXPECT_THAT(stage.recorder.notes, Contains(HasSubstr("client 9 declared dead")));
  EXPECT_LT(stage.now(), 4 * 60);
}

// ---- floods

TEST(OneClient, ThatSaysHelloAgainAndAgainMakesLittleWorkForOthers) {
  // Given a run, and another one in which one client says hello 2,000 times within two seconds.
  const auto trained = [](int hellos) {
    Stage stage(kReuse);
    stage.start();
    stage.run_until_round(7);
    // Its own state machine, which knows nothing of those lives, would refuse what comes to them.
    stage.lose = [](int from, int, const Message& m) {
      return from == kInsider && std::holds_alternative<Refusal>(m);
    };
    Prng random(Key256{7});
    int said = 0;
    const SharingId sharing = stage.client(kInsider).welcome().sharings[kInsider];
    stage.run([&] {
      if (said >= hellos) return false;
      Incarnation life;
      random.fill(life.bytes);
      stage.say(kInsider, kServer,
                Hello{.from = kInsider,
                      .incarnation = life,
                      .step = stage.client(kInsider).model().step(),
                      .chain = *stage.client(kInsider).model().chain().find(
                          stage.client(kInsider).model().step()),
                      .sharing = sharing});
      ++said;
      return false;
    });
    print_end(stage);
    expect_the_others_go_on(stage);
    for (const auto& note : stage.recorder.notes) EXPECT_THAT(note, Not(HasSubstr("quarantined")));
    std::printf("%d hellos: %llu messages\n", said, static_cast<unsigned long long>(stage.sent));
    return stage.sent;
  };
  const auto usual = trained(0);
  const auto flooded = trained(2000);
  EXPECT_LT(flooded, 4 * usual);
}

// In training, asking for all rows of client 1 in each of 20 lives. When every life could have them
// eight times, client 1 made and sent 960 chunks of a table of two.
TEST(OneClient, ThatAsksForRowsInEveryLifeIsSentThemEightTimesInAll) {
  constexpr int kLives = 20;
  Stage stage(joined(kReuse, {"train.epochs=30"}));
  stage.takes = [](int, int, const Message& m) {  // rounds of a second
    return std::holds_alternative<Upload>(m) ? 1.0 : 0.0;
  };
  stage.start();
  stage.run_until_round(7);
  std::size_t chunks = 0, sent = 0;
  for_each_chunk(stage.agreement(), [&](data::Part, std::size_t, std::size_t) { ++chunks; });
  stage.lose = [&](int from, int to, const Message& m) {
    sent += from == 0 && to == kInsider && std::holds_alternative<DataShare>(m) ? 1 : 0;
    return false;
  };
  for (int life = 0; life < kLives; ++life) {
    const auto before = stage.client(0).welcome().clients[kInsider];
    stage.come_back(kInsider);
    stage.run([&] { return stage.client(0).welcome().clients[kInsider] != before; });
    for (int i = 0; i < 30; ++i) {
      for_each_chunk(stage.agreement(), [&](data::Part part, std::size_t first, std::size_t) {
        stage.say(kInsider, 0, DataRequest{kInsider, part, first});
      });
    }
    stage.run([&, until = stage.now() + 5] { return stage.now() >= until; });
  }
  stage.run();
  print_end(stage);
  std::printf("%d lives: %zu chunks sent of a table of %zu\n", kLives, sent, chunks);
  EXPECT_GE(sent, 8 * chunks) << "a file that is lost a few times can be fetched";
  EXPECT_LE(sent, 8 * (chunks + 4));
  EXPECT_THAT(stage.recorder.notes,
              Contains(HasSubstr("client 1 complains of client 4: it has asked for all rows")));
  expect_the_others_go_on(stage);
}

}  // namespace
}  // namespace fedvs::protocol
