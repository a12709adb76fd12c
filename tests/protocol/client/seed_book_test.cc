// The seeds of masks: who gets which, and what is refused.
#include "fedvs/protocol/client/seed_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fedvs/coding/opening.h"
#include "fedvs/protocol/client/upload_mask.h"
#include "fedvs/sim/seeded_secrets.h"
#include "tests/support/agreement_fixture.h"

namespace fedvs::protocol {
namespace {

using ::testing::HasSubstr;

constexpr int kClients = 7;  // of small_agreement: K = 2, T = 1

class SeedBookTest : public ::testing::Test {
 protected:
  SeedBookTest() {
    for (int n = 0; n < kClients; ++n) {
      books_.push_back(std::make_unique<SeedBook>(agreement_, n, run_));
      books_.back()->make(secrets_);
      lists_.push_back(books_.back()->own_list());
    }
    for (auto& book : books_) book->expect(lists_);
  }
  SeedBook& book(int n) { return *books_[static_cast<std::size_t>(n)]; }
  void share_all() {
    for (int from = 0; from < kClients; ++from) {
      if (!book(from).makes_some(from)) continue;
      for (int to = 0; to < kClients; ++to) {
        if (to == from) continue;
        EXPECT_TRUE(book(to).take(book(from).share(from, to)));
      }
    }
  }
  bool knows(int client, std::size_t set) { return book(client).seeds()[set] != Key256{}; }

  const Agreement agreement_ = fedvs::testing::small_agreement();
  const Digest run_ = Hasher().add("a run").finish();
  sim::SeededSecrets secrets_{5};
  std::vector<std::unique_ptr<SeedBook>> books_;
  std::vector<Digest> lists_;
};

TEST_F(SeedBookTest, EverybodyOutsideASetKnowsItsSeedAndNobodyInside) {
  share_all();
  for (std::size_t set = 0; set < agreement_.family->sets.size(); ++set) {
    const int maker = agreement_.family->maker(set);
    for (int n = 0; n < kClients; ++n) {
      EXPECT_TRUE(book(n).complete());
      EXPECT_EQ(knows(n, set), !agreement_.family->contains(set, n));
      if (!knows(n, set)) continue;
      EXPECT_EQ(book(n).seeds()[set], book(maker).seeds()[set]);
    }
  }
}

TEST_F(SeedBookTest, AnotherSeedThanTheCommittedOneIsRefusedAndNotKept) {
  SeedShare share = book(0).share(0, 5);
  ASSERT_FALSE(share.seeds.empty());
  const std::size_t set = share.seeds[0].set;
  share.seeds[0].seed[3] ^= 1;
  const auto taken = book(5).take(share);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, HasSubstr("not the one its maker told of"));
  EXPECT_FALSE(knows(5, set));
  EXPECT_FALSE(book(5).holds_list(0));
}

TEST_F(SeedBookTest, AnotherListThanTheWelcomesIsRefused) {
  SeedBook other(agreement_, 0, run_);
  sim::SeededSecrets others{6};
  other.make(others);
  const auto taken = book(5).take(other.share(0, 5));
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, HasSubstr("another list of seeds"));
}

// The server with T clients inside a set must not be able to put a seed of their own in place.
TEST_F(SeedBookTest, ASeedFromAClientInsideItsSetIsRefused) {
  SeedShare share = book(0).share(0, 5);
  const auto& members = agreement_.family->sets[share.seeds[0].set];
  share.from = members[0] == 5 ? members[1] : members[0];
  const auto taken = book(5).take(share);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, HasSubstr("which sender or recipient is in"));
}

TEST_F(SeedBookTest, ASeedThatTheRecipientMayNotKnowIsRefused) {
  // Given what client 6 gets of client 1's seeds, sent to a member of one of these sets.
  const SeedShare share = book(0).share(0, 5);
  const int member = agreement_.family->sets[share.seeds[0].set][0];
  const auto taken = book(member).take(share);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, HasSubstr("which sender or recipient is in"));
}

TEST_F(SeedBookTest, WhoHasLostAllGetsTheSameFromTheOthers) {
  share_all();
  // Given client 1, the maker of most, with an empty folder: it makes other seeds, and forgets them
  // when it hears which lists the run has.
  SeedBook again(agreement_, 0, run_);
  sim::SeededSecrets fresh{77};
  again.make(fresh);
  again.expect(lists_);
  EXPECT_FALSE(again.complete());
  // When two others send what they hold, then it has what it had.
  for (int from : {3, 6}) {
    for (int maker = 0; maker < kClients; ++maker) {
      if (!book(from).makes_some(maker)) continue;
      EXPECT_TRUE(again.take(book(from).share(maker, 0)));
    }
  }
  EXPECT_TRUE(again.complete());
  EXPECT_TRUE(std::ranges::equal(again.seeds(), book(0).seeds()));
}

TEST_F(SeedBookTest, OutlivesARestartOfThisRunAndOfNoOther) {
  share_all();
  const std::string saved = book(2).save();
  SeedBook restored(agreement_, 2, run_), other_run(agreement_, 2, Digest{});
  ASSERT_TRUE(restored.restore(saved));
  ASSERT_TRUE(other_run.restore(saved));
  restored.expect(lists_);
  EXPECT_TRUE(restored.complete());
  EXPECT_TRUE(std::ranges::equal(restored.seeds(), book(2).seeds()));
  EXPECT_FALSE(other_run.complete());
}

TEST_F(SeedBookTest, MasksOfAllClientsSumToNothingAtTheData) {
  // Given the masks of everybody for one plan.
  share_all();
  const auto code = coding::LagrangeCode::create(agreement_.ring, agreement_.shape).value();
  const coding::SeededMasks masks(code, *agreement_.family);
  std::vector<field::RingMatrix> uploads;
  for (int n = 0; n < kClients; ++n) {
    uploads.emplace_back(agreement_.ring, 4, 3);
    OwnUploadMask(masks, book(n), n).add_to(uploads.back(), run_);
  }
  // When any R of them are opened, then all sums are zero, though no mask is.
  std::vector<coding::Share> shares;
  for (int n = kClients - 1; n >= 0; --n) {
    shares.push_back({n, &uploads[static_cast<std::size_t>(n)]});
  }
  const field::RingMatrix zero(agreement_.ring, 4, 3);
  const auto opened = coding::open(code, shares).value();
  for (const auto& sums : opened) EXPECT_TRUE(sums == zero);
  for (const auto& upload : uploads) EXPECT_FALSE(upload == zero);
}

}  // namespace
}  // namespace fedvs::protocol
