#include "fedvs/protocol/masks.h"

#include <gmock/gmock.h>

#include "fedvs/coding/opening.h"
#include "fedvs/sim/seeded_secrets.h"
#include "tests/support/agreement_fixture.h"
#include "tests/support/rings.h"

namespace fedvs::protocol {
namespace {

using fedvs::testing::mask;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DealtMask, VanishesAtTheBetasWhicheverSharesOpenIt) {
  const Agreement agreement = fedvs::testing::small_agreement();
  const auto code = coding::LagrangeCode::create(agreement.ring, agreement.shape).value();
  sim::SeededSecrets secrets(1);
  const auto dealt = std::make_shared<DealtMask>(agreement, mask(2, 5), secrets);
  std::vector<field::RingMatrix> all;
  for (int m = 0; m < 7; ++m) all.push_back(share_of(dealt, code.mask_matrix(), m)->matrix());
  for (const auto& parties : fedvs::testing::subsets(7, agreement.shape.threshold())) {
    std::vector<coding::Share> shares;
    for (int m : parties) shares.push_back({m, &all[static_cast<std::size_t>(m)]});
    const auto opened = coding::open(code, shares).value();
    ASSERT_EQ(opened.size(), 2u);
    for (const auto& segment : opened) EXPECT_THAT(segment.to_integers(), Each(0));
  }
  EXPECT_THAT(all[0].to_integers(), ::testing::Contains(::testing::Ne(0)));
  EXPECT_EQ(all[0].rows(), agreement.mask_rows());
}

TEST(DealtMask, EveryMaskIsAnother) {
  const Agreement agreement = fedvs::testing::small_agreement();
  const auto code = coding::LagrangeCode::create(agreement.ring, agreement.shape).value();
  sim::SeededSecrets secrets(1);
  const MaskId first = mask(2, 5);
  const auto share = [&](const MaskId& id) {
    const auto dealt = std::make_shared<DealtMask>(agreement, id, secrets);
    return share_of(dealt, code.mask_matrix(), 4)->matrix().to_integers();
  };
  EXPECT_EQ(share(first), share(first));
  EXPECT_NE(share(first), share(mask(2, 6)));
  EXPECT_NE(share(first), share(mask(3, 5)));
  EXPECT_NE(share(first), share(mask(2, 5, MaskPool::kEvaluation)));
}

SharePtr some_share() { return share_of(field::RingMatrix()); }

TEST(MaskStock, SpendsAMaskOnce) {
  MaskStock stock(7);
  stock.add(mask(3, 0), some_share());
  EXPECT_TRUE(stock.unused(mask(3, 0)));
  stock.spend(mask(3, 0));
  EXPECT_FALSE(stock.unused(mask(3, 0)));
  stock.add(mask(3, 0), some_share());  // dealt again: still spent
  EXPECT_FALSE(stock.unused(mask(3, 0)));
  EXPECT_TRUE(stock.unused(mask(3, 1)));
  EXPECT_TRUE(stock.unused(mask(3, 0, MaskPool::kEvaluation)));
}

TEST(MaskStock, SpendsWhatHasNotArrived) {
  MaskStock stock(7);
  stock.spend(mask(3, 4));
  stock.add(mask(3, 4), some_share());
  EXPECT_FALSE(stock.unused(mask(3, 4)));
  EXPECT_FALSE(stock.unused(mask(3, 2)));  // nor any earlier one
}

TEST(MaskStock, CountsWhatArrivedWithoutGaps) {
  MaskStock stock(3);
  for (std::uint64_t number : {0u, 1u, 3u}) stock.add(mask(1, number), some_share());
  EXPECT_THAT(stock.arrived(MaskPool::kTraining),
              ElementsAre(MaskRange{}, MaskRange{0, 2}, MaskRange{}));
  stock.add(mask(1, 2), some_share());
  EXPECT_THAT(stock.arrived(MaskPool::kTraining),
              ElementsAre(MaskRange{}, MaskRange{0, 4}, MaskRange{}));
  EXPECT_THAT(stock.arrived(MaskPool::kEvaluation), Each(MaskRange{}));
}

TEST(MaskStock, ForgetsADealerThatStartedAnewAndCountsItsMasksFromZero) {
  MaskStock stock(3);
  for (std::uint64_t number : {0u, 1u, 2u}) stock.add(mask(1, number), some_share());
  stock.add(mask(2, 0), some_share());
  stock.spend(mask(1, 1));
  stock.forget_dealer(1);
  EXPECT_FALSE(stock.holds(mask(1, 2)));
  EXPECT_TRUE(stock.holds(mask(2, 0)));
  EXPECT_TRUE(stock.unused(mask(1, 0)));
  stock.add(mask(1, 1), some_share());  // before its first: a gap
  EXPECT_EQ(stock.arrived(MaskPool::kTraining)[1], (MaskRange{0, 0}));
  stock.add(mask(1, 0), some_share());
  EXPECT_EQ(stock.arrived(MaskPool::kTraining)[1], (MaskRange{0, 2}));
}

TEST(MaskStock, CountsFromWhatComesFirstAfterItsOwnerStartedAnew) {
  MaskStock stock(3);
  stock.add(mask(1, 0), some_share());
  stock.forget_all();
  EXPECT_FALSE(stock.holds(mask(1, 0)));
  stock.add(mask(1, 6), some_share());
  stock.add(mask(1, 7), some_share());
  EXPECT_EQ(stock.arrived(MaskPool::kTraining)[1], (MaskRange{6, 8}));
}

TEST(MaskStock, DropsSpentSharesButThoseOfTheCurrentPlan) {
  MaskStock stock(7);
  for (int dealer : {0, 1, 2}) stock.add(mask(dealer, 0), some_share());
  stock.spend(mask(0, 0));
  stock.spend(mask(1, 0));
  stock.drop_spent({mask(1, 0)});
  EXPECT_FALSE(stock.holds(mask(0, 0)));
  EXPECT_TRUE(stock.holds(mask(1, 0)));
  EXPECT_TRUE(stock.holds(mask(2, 0)));
}

}  // namespace
}  // namespace fedvs::protocol
