// A trained client's model takes up its work again on rows that are to be scored.
#include <gmock/gmock.h>

#include "fedvs/model/client_network.h"
#include "fedvs/protocol/client/local_model.h"
#include "tests/support/world_fixture.h"

namespace fedvs::protocol {
namespace {

using ::testing::HasSubstr;

class Adopt : public ::testing::Test {
 protected:
  Adopt() : job_(fedvs::testing::small_job({})), trial_(fedvs::testing::make_world({})) {
    // Nobody gets the client's models of step 3 and later: plans go on naming an older one, which
    // it therefore keeps beside the newer ones.
    trial_->tamper([](int from, int, MessagePtr message) {
      const auto* share = std::get_if<ModelShare>(message.get());
      return from == 0 && share != nullptr && share->version.step >= 3 ? nullptr : message;
    });
    trial_->run_until_round(6);
  }
  const LocalModel& trained() const { return trial_->world->clients()[0]->model(); }
  // A client of the same shape with these standardised rows to score, all of one value.
  LocalModel with_rows(float value) const {
    const auto& agreement = trial_->world->agreement();
    const auto& width = agreement.clients[0];
    data::Table features[data::kParts];
    for (auto& part : features) part.cols = static_cast<std::size_t>(width.features);
    features[2].rows = 3;
    features[2].values.assign(3 * features[2].cols, value);
    Prng random(Key256{});
    auto network = model::PolynomialNetwork::initial(width.features, width.degree, agreement.width,
                                                     job_.model.init_scale, random);
    auto optimizer =
        model::Optimizer::create(model::client_optimizer(job_), network.weights.size()).value();
    return {agreement, 0, LocalModel::own_rows(agreement, 0, features), std::move(network),
            std::move(optimizer)};
  }
  const Job job_;
  std::unique_ptr<fedvs::testing::Trial> trial_;
};

TEST_F(Adopt, AnyVersionThatWasSharedAsStepZeroBitForBit) {
  ASSERT_GE(trained().rounded().size(), 2u);
  for (const auto& [step, integers] : trained().rounded()) {
    LocalModel model = with_rows(1);
    ASSERT_TRUE(model.adopt(trained().save(), step));
    EXPECT_EQ(model.step(), 0u);
    EXPECT_EQ(model.rounded().size(), 1u);
    EXPECT_EQ(model.rounded().at(0), integers);
  }
}

TEST_F(Adopt, NoVersionThatWasNotShared) {
  LocalModel model = with_rows(1);
  const auto adopted = model.adopt(trained().save(), 1000);
  ASSERT_FALSE(adopted);
  EXPECT_THAT(adopted.error().message, HasSubstr("step 1000"));
}

// Another model for the same client would let two sums of a row be told apart.
TEST_F(Adopt, ANamedVersionIsNotScaledDownToRowsThatAreTooLargeForIt) {
  const auto step = trained().rounded().rbegin()->first;
  LocalModel model = with_rows(15'000);
  const auto adopted = model.adopt(trained().save(), step);
  ASSERT_FALSE(adopted);
  EXPECT_EQ(adopted.error().code, ErrorCode::kBadData);
  EXPECT_THAT(adopted.error().message, HasSubstr("too large"));
}

}  // namespace
}  // namespace fedvs::protocol
