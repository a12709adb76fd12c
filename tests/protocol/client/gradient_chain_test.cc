// The links of gradients that a client keeps: enough for every version that a plan can name, and no
// more in a run of any length.
#include "fedvs/protocol/client/gradient_chain.h"

#include <gtest/gtest.h>

#include "fedvs/v1/client_state.pb.h"
#include "tests/support/agreement_fixture.h"

namespace fedvs::protocol {
namespace {

constexpr StepNumber kWindow = 1024 + 2 * 10;  // max_age is 10

class GradientChainTest : public ::testing::Test {
 protected:
  // So many rounds, whose plans name version `frozen` of one client and fresh ones of the others.
  void learn(StepNumber rounds, StepNumber frozen) {
    for (StepNumber i = 0; i < rounds; ++i) {
      Plan plan{.round = chain_.step(), .revision = chain_.step(), .rows = {1}, .versions = {}};
      plan.versions.assign(7, Version{chain_.step(), {}});
      plan.versions[2] = Version{frozen, {}};
      chain_.add(Gradient(std::make_shared<const Plan>(plan), std::vector<float>(6, 0.5f)), 1);
    }
  }
  const Agreement agreement_ = fedvs::testing::small_agreement();
  GradientChain chain_{agreement_};
};

TEST_F(GradientChainTest, StaysAsLargeAsItsWindowInARunOfAnyLength) {
  std::size_t most = 0;
  for (int i = 0; i < 20; ++i) {
    learn(500, chain_.step());
    most = std::max(most, chain_.size());
  }
  EXPECT_EQ(chain_.step(), 10'000u);
  EXPECT_LE(most, kWindow + 1);
  v1::SavedModel saved;
  chain_.save(saved);
  EXPECT_LE(saved.ByteSizeLong(), 42 * (kWindow + 1)) << "bytes of a checkpoint";
}

TEST_F(GradientChainTest, KnowsEveryStepOfItsWindow) {
  learn(3000, 0);
  const StepNumber oldest = chain_.step() - kWindow + 1;
  for (StepNumber step = oldest; step <= chain_.step(); ++step) EXPECT_TRUE(chain_.find(step));
  EXPECT_FALSE(chain_.find(oldest - 1));
  EXPECT_FALSE(chain_.find(chain_.step() + 1));
}

TEST_F(GradientChainTest, KeepsTheStepOfAVersionThatStandsStillForAsLongAsPlansNameIt) {
  learn(700, 0);
  const Digest link = *chain_.find(700);
  learn(9000, 700);
  ASSERT_TRUE(chain_.find(700));
  EXPECT_EQ(*chain_.find(700), link);
  EXPECT_FALSE(chain_.find(0)) << "nobody names it any more";
  learn(1, 9000);
  EXPECT_FALSE(chain_.find(700));
}

TEST_F(GradientChainTest, GoesOnFromWhereItWasSaved) {
  learn(2000, 3);
  v1::SavedModel saved;
  chain_.save(saved);
  GradientChain again(agreement_);
  ASSERT_TRUE(again.restore(saved));
  learn(1, 3);
  std::swap(again, chain_);
  learn(1, 3);
  EXPECT_EQ(chain_.size(), again.size());
  EXPECT_EQ(*chain_.find(3), *again.find(3));
  EXPECT_EQ(*chain_.find(2001), *again.find(2001));
}

TEST_F(GradientChainTest, NotesOfNoGradientsOrWithHalfALinkAreRefused) {
  v1::SavedModel saved;
  EXPECT_EQ(chain_.restore(saved).error().code, ErrorCode::kCorrupt);
  chain_.save(saved);
  saved.mutable_chain(0)->set_link("half");
  EXPECT_EQ(chain_.restore(saved).error().code, ErrorCode::kCorrupt);
  EXPECT_TRUE(chain_.find(0));
}

}  // namespace
}  // namespace fedvs::protocol
