// One client's chain of plans and what it hears of the others'. N = 7, T = 1: Q = 5.
#include "fedvs/protocol/client/head_book.h"

#include <gmock/gmock.h>

#include "fedvs/net/seal/signing.h"
#include "fedvs/protocol/plan_content.h"
#include "fedvs/v1/client_state.pb.h"
#include "tests/support/agreement_fixture.h"

namespace fedvs::protocol {
namespace {

using ::testing::HasSubstr;

Digest digest(std::string_view name) { return Hasher().add(name).finish(); }

class HeadBookTest : public ::testing::Test {
 protected:
  static constexpr int kSelf = 2;
  // K = 1: two camps can each bring the three uploads that tell something.
  explicit HeadBookTest(const std::string& mode = "bounded")
      : agreement_(fedvs::testing::small_agreement(
            {"code.K=1", "protocol.max_age=4", "protocol.equivocation=" + mode})),
        book_(agreement_, kSelf, run_, verify()) {}

  VerifyHead verify() const {
    return [key = key_.public_key](std::string_view text, const Signature& signature) {
      return seal::verify(key, text, signature);
    };
  }
  SignedHead head(std::uint64_t index, const Digest& link) const {
    return {index, link, key_.sign(signed_text(run_, index, link))};
  }
  // A chain whose headers have these names, from the first plan on.
  std::vector<SignedHead> chain(const std::vector<std::string>& names) const {
    std::vector<SignedHead> heads{{0, first_link(run_), {}}};
    for (const auto& name : names) {
      const std::uint64_t index = heads.back().index + 1;
      heads.push_back(head(index, link_after(heads.back().link, index, digest(name))));
    }
    return heads;
  }
  void take(const std::vector<std::string>& names) {
    const auto heads = chain(names);
    for (std::size_t i = book_.head().index; i < names.size(); ++i) {
      const auto follows = book_.check_next(heads[i + 1], digest(names[i]));
      ASSERT_TRUE(follows) << follows.error().message;
      book_.take_next(heads[i + 1], digest(names[i]));
    }
  }

  const seal::SigningKey key_ = seal::SigningKey::generate();
  const Digest run_ = digest("run");
  Agreement agreement_;
  HeadBook book_;
};

TEST_F(HeadBookTest, APlanMustFollowFromThoseBeforeAndBeSignedAsThat) {
  take({"a", "b"});
  const auto heads = chain({"a", "b", "c", "d"});
  EXPECT_TRUE(book_.check_next(heads[3], digest("c")));
  EXPECT_THAT(book_.check_next(heads[3], digest("x")).error().message,
              HasSubstr("does not follow"));
  EXPECT_THAT(book_.check_next(heads[4], digest("d")).error().message,
              HasSubstr("plan 4 of the run came after plan 2"));
  EXPECT_THAT(book_.check_next(heads[2], digest("b")).error().message, HasSubstr("came after"));
  SignedHead forged = heads[3];
  forged.signature[7] ^= 1;
  EXPECT_THAT(book_.check_next(forged, digest("c")).error().message, HasSubstr("not signed"));
}

TEST_F(HeadBookTest, FourOthersWhoAgreedLatelyAreEnoughAndGrowOld) {
  take({"a"});
  const auto heads = chain({"a", "b", "c", "d", "e", "f"});
  EXPECT_FALSE(book_.enough_agree());
  for (int n : {0, 1, 3}) book_.hear(n, heads[1], true);
  book_.hear(kSelf, heads[1], true);  // its own word does not count twice
  book_.hear(4, heads[1], false);     // nor does what is passed on
  EXPECT_EQ(book_.agreeing(), 4);
  EXPECT_FALSE(book_.enough_agree());
  book_.hear(4, heads[0], true);  // of the beginning, which is no older than four plans
  EXPECT_TRUE(book_.enough_agree());
  take({"a", "b", "c", "d"});
  EXPECT_EQ(book_.agreeing(), 5);
  take({"a", "b", "c", "d", "e"});
  EXPECT_EQ(book_.agreeing(), 4);
  take({"a", "b", "c", "d", "e", "f"});
  EXPECT_EQ(book_.agreeing(), 1);
}

TEST_F(HeadBookTest, WhatIsAheadCountsWhenTheChainGetsThere) {
  const auto heads = chain({"a", "b", "c", "d", "e", "f"});
  for (std::size_t i = 1; i <= 6; ++i) book_.hear(0, heads[i], true);  // four of them are kept
  take({"a", "b"});
  EXPECT_EQ(book_.agreeing(), 1);
  take({"a", "b", "c"});
  EXPECT_EQ(book_.agreeing(), 2);
}

TEST_F(HeadBookTest, AForkShowsAtEveryLaterIndexAndIsProof) {
  // Given a client that was shown b where others were shown x, and c and d after it like them.
  take({"a", "b", "c", "d"});
  const auto others = chain({"a", "x", "c", "d", "e"});
  EXPECT_FALSE(book_.proof());
  book_.hear(5, others[4], true);
  // Then the heads of the fourth plan differ, and that proves it to anybody.
  ASSERT_TRUE(book_.proof());
  EXPECT_EQ(book_.proof()->other, others[4]);
  EXPECT_EQ(book_.proof()->heard_from, 5);
  EXPECT_TRUE(check(*book_.proof(), verify()));
  EXPECT_EQ(book_.agreeing(), 1);
}

TEST_F(HeadBookTest, EvidenceThatWasTamperedWithProvesNothing) {
  take({"a", "b", "c", "d"});
  book_.hear(5, chain({"a", "x"})[2], true);
  const Equivocation proof = book_.proof().value();
  const auto wrong = [&](const std::function<void(Equivocation&)>& change) {
    Equivocation changed = proof;
    change(changed);
    return !check(changed, verify());
  };
  EXPECT_TRUE(wrong([](auto& p) { p.run[0] ^= 1; }));
  EXPECT_TRUE(wrong([](auto& p) { p.other.signature[0] ^= 1; }));
  EXPECT_TRUE(wrong([](auto& p) { p.own.signature[0] ^= 1; }));
  EXPECT_TRUE(wrong([](auto& p) { p.own_link[0] ^= 1; }));
  EXPECT_TRUE(wrong([](auto& p) { p.other.index += 1; }));
  EXPECT_TRUE(wrong([](auto& p) { p.contents.emplace_back(); }));
  EXPECT_TRUE(wrong([&](auto& p) { p.other = p.own; }));  // one chain
  const seal::SigningKey other = seal::SigningKey::generate();
  EXPECT_FALSE(check(proof, [&](std::string_view text, const Signature& signature) {
    return seal::verify(other.public_key, text, signature);
  }));
}

TEST_F(HeadBookTest, AHeadThatNobodySignedIsDroppedAndCountedAgainstItsSender) {
  take({"a", "b"});
  SignedHead invented = chain({"a", "x"})[2];
  invented.signature[0] ^= 1;
  for (int i = 0; i < 15; ++i) book_.hear(5, invented, true);
  EXPECT_FALSE(book_.proof());
  book_.hear(5, book_.head(), true);
  EXPECT_EQ(book_.agreeing(), 2);
  book_.hear(5, invented, true);  // the sixteenth
  EXPECT_EQ(book_.agreeing(), 1);
  book_.hear(5, book_.head(), true);
  EXPECT_EQ(book_.agreeing(), 1);
}

TEST_F(HeadBookTest, ItsChainOutlivesARestartAndSoDoesWhatItProves) {
  take({"a", "b", "c"});
  v1::SavedHeads saved;
  book_.save(saved);
  HeadBook next(agreement_, kSelf, run_, verify());
  ASSERT_TRUE(next.restore(saved));
  EXPECT_EQ(next.head(), book_.head());
  // A plan that came after the checkpoint, from its notes, with a missed one before it.
  const auto heads = chain({"a", "b", "c", "d", "e"});
  next.recall(heads[5], digest("e"));
  EXPECT_EQ(next.head(), heads[5]);
  next.hear(1, heads[4], true);  // it knows nothing of that one
  EXPECT_EQ(next.agreeing(), 1);
  next.hear(1, chain({"a", "x"})[2], true);
  ASSERT_TRUE(next.proof());
  EXPECT_TRUE(check(*next.proof(), verify()));
  HeadBook another(agreement_, kSelf, digest("another run"), verify());
  v1::SavedHeads of_this_run;
  HeadBook(agreement_, kSelf, run_, verify()).save(of_this_run);
  EXPECT_FALSE(another.restore(of_this_run));
}

TEST_F(HeadBookTest, WhoLacksTheQuorumAsksAndWhoIsAskedAnswersOnce) {
  take({"a"});
  EXPECT_EQ(book_.after_plan(true), HeadBook::Say::kAsk);
  book_.told_all(true);
  EXPECT_FALSE(book_.must_answer(4, 1));  // it was told already
  book_.lives_anew(4);
  EXPECT_TRUE(book_.must_answer(4, 1));
  EXPECT_FALSE(book_.must_answer(4, 1));
  for (int n : {0, 1, 3, 4}) book_.hear(n, book_.head(), true);
  EXPECT_EQ(book_.after_plan(false), HeadBook::Say::kNothing);  // told a moment ago
  EXPECT_FALSE(book_.must_answer(5, 3));  // told already; but that one is ahead
  EXPECT_EQ(book_.after_plan(false), HeadBook::Say::kTell);
}

class PreventTest : public HeadBookTest {
 protected:
  PreventTest() : HeadBookTest("prevent") {}
};

TEST_F(PreventTest, OnlyHeadsOfThisVeryPlanCount) {
  take({"a", "b"});
  const auto heads = chain({"a", "b"});
  for (int n : {0, 1, 3, 4}) book_.hear(n, heads[1], true);
  EXPECT_EQ(book_.agreeing(), 1);
  for (int n : {0, 1, 3, 4}) book_.hear(n, heads[2], true);
  EXPECT_TRUE(book_.enough_agree());
}

// Also where two camps cannot both bring R uploads.
TEST(HeadBook, WaitsInEveryShapeUnlessTheJobOnlyDetects) {
  const auto waits = [](int parties, int blocks, const std::string& mode) {
    const Job job = complete_job({.toml = std::nullopt,
                                  .sets = {"data.name=synthetic", "model.width=3", "code.T=1",
                                           "code.K=" + std::to_string(blocks),
                                           "protocol.equivocation=" + mode}})
                        .value();
    const auto agreement =
        agree(job, std::vector<int>(static_cast<std::size_t>(parties), 2), {40, 6, 8}, 2).value();
    return HeadBook(agreement, 0, {}, [](auto, const auto&) { return true; }).waits();
  };
  for (const auto& [parties, blocks] : {std::pair(3, 1), {4, 1}, {5, 1}, {6, 2}, {8, 2}}) {
    EXPECT_TRUE(waits(parties, blocks, "bounded")) << parties;
    EXPECT_TRUE(waits(parties, blocks, "prevent")) << parties;
    EXPECT_FALSE(waits(parties, blocks, "detect")) << parties;
  }
}

// Two steps that would have clients act differently have different headers.
TEST(Heads, AHeaderCoversAllThatClientsActOn) {
  const auto step = [] {
    Step made;
    Plan plan;
    plan.rows = {1, 2};
    plan.versions = {Version{3, fedvs::testing::incarnation(1)}, std::nullopt};
    made.plan = std::make_shared<const Plan>(plan);
    made.groups = std::make_shared<const Groups>(Groups{{0}, {1}});
    made.frozen = {false, true};
    made.released = {false, false};
    return made;
  };
  const auto with_plan = [&](const std::function<void(Plan&)>& change) {
    Step made = step();
    Plan plan = *made.plan;
    change(plan);
    made.plan = std::make_shared<const Plan>(plan);
    return content_of(made, {});
  };
  std::set<Digest> all{content_of(step(), {})};
  const auto add = [&](const Digest& header) { EXPECT_TRUE(all.insert(header).second); };
  add(with_plan([](Plan& p) { p.round = 1; }));
  add(with_plan([](Plan& p) { p.revision = 1; }));
  add(with_plan([](Plan& p) { p.epoch = 1; }));
  add(with_plan([](Plan& p) { p.part = data::Part::kTest; }));
  add(with_plan([](Plan& p) { p.rows = {2, 1}; }));
  add(with_plan([](Plan& p) { p.versions[0]->step = 2; }));
  add(with_plan([](Plan& p) { p.versions[0]->incarnation.bytes[15] ^= 1; }));
  add(with_plan([](Plan& p) { p.versions[0].reset(); }));
  Step other = step();
  other.groups = std::make_shared<const Groups>(Groups{{0, 1}});
  add(content_of(other, {}));
  other.groups = nullptr;
  add(content_of(other, {}));
  other = step();
  other.frozen = {true, true};
  add(content_of(other, {}));
  other = step();
  other.released = {true, false};
  add(content_of(other, {}));
  // What a plan asks for depends on the run, on whose shares are held and on the seeds as well.
  const std::vector<SharingId> sharings(2);
  const std::vector<Digest> seeds(2);
  auto other_sharings = sharings;
  other_sharings[1].bytes[0] = 1;
  auto other_seeds = seeds;
  other_seeds[0][31] = 1;
  std::set<Digest> contents{content_of(step(), {Digest{}, sharings, seeds})};
  EXPECT_TRUE(contents.insert(content_of(step(), {Digest{1}, sharings, seeds})).second);
  EXPECT_TRUE(contents.insert(content_of(step(), {Digest{}, other_sharings, seeds})).second);
  EXPECT_TRUE(contents.insert(content_of(step(), {Digest{}, sharings, other_seeds})).second);
  EXPECT_TRUE(contents.insert(content_of(other, {Digest{}, sharings, seeds})).second);
}

}  // namespace
}  // namespace fedvs::protocol
