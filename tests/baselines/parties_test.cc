// The numbers of plaintext split learning, beside FedVS's own and by hand.
#include "fedvs/baselines/parties.h"

#include <gmock/gmock.h>

#include "fedvs/model/client_polynomial.h"
#include "tests/support/world_fixture.h"

namespace fedvs::baselines {
namespace {

using testing::prepared;
using testing::small_job;

TEST(ClientPolynomial, StartsFromTheWeightsOfFedVS) {
  const auto trial = testing::make_world({});
  const Job job = small_job({"method=wait"});
  auto parties = Parties::create(job, prepared(job)).value();
  // Its embedding of row 0 is x^ W by the very weights that the FedVS client starts with.
  const auto& client = *trial->world->clients()[3];
  const auto rows = prepared(job);
  const auto& features = rows.clients[3].features[0];
  const auto powers = model::raise_to_powers(features, 1);
  const auto& network = client.model().network();
  const auto embedded = parties->upload(3, {0}, 0);
  for (std::size_t j = 0; j < network.width; ++j) {
    double expected = 0;
    for (std::size_t p = 0; p < network.inputs; ++p) {
      expected += static_cast<double>(powers.row(0)[p]) * network.weights[j * network.inputs + p];
    }
    EXPECT_NEAR(embedded[j], expected, 1e-5);
  }
}

TEST(ClientPolynomial, LearnsByTheGradientOfItsEmbedding) {
  model::PolynomialNetwork network{.width = 1, .inputs = 3, .weights = {0.5f, 0.25f, 1.0f}};
  model::ClientPolynomial client(network, 2,
                                 model::Optimizer::create({.kind = "sgd", .rate = 0.1}, 3).value());
  const data::Table x{2, 1, {2, -1}};
  // x^ = (x, x^2, 1): 0.5 * 2 + 0.25 * 4 + 1 = 3, and -0.5 + 0.25 + 1 = 0.75.
  EXPECT_THAT(client.embed(x), ::testing::ElementsAre(3, 0.75f));
  // dL/dw = 1 (2, 4, 1) + 2 (-1, 1, 1) = (0, 6, 3).
  client.learn(x, std::vector<float>{1, 2});
  EXPECT_THAT(client.network().weights,
              ::testing::ElementsAre(0.5f, ::testing::FloatEq(-0.35f), ::testing::FloatEq(0.7f)));
}

TEST(Parties, OnlyTheClientsThatAreTaughtLearn) {
  const Job job = small_job({"method=ignore"});
  auto parties = Parties::create(job, prepared(job)).value();
  const Parties::Samples samples = {0, 1, 2, 3};
  Embeddings embeddings(9);
  for (int n : {0, 4}) embeddings[static_cast<std::size_t>(n)] = parties->upload(n, samples, 0);
  const auto absent = parties->upload(7, samples, 0);
  const auto learned = parties->teach_server(embeddings, samples);
  for (int n : {0, 4}) parties->teach(n, samples, embeddings, learned);
  EXPECT_NE(parties->upload(0, samples, 0), embeddings[0]);
  EXPECT_NE(parties->upload(4, samples, 0), embeddings[4]);
  EXPECT_EQ(parties->upload(7, samples, 0), absent);
}

TEST(Parties, NoiseIsInTrainingOnlyAndNewEveryRound) {
  const Job plain = small_job({"method=wait"});
  const Job noisy = small_job({"method=wait-dp", "dp.clip=1000"});  // cuts nothing
  auto without = Parties::create(plain, prepared(plain)).value();
  auto with = Parties::create(noisy, prepared(noisy)).value();
  EXPECT_NE(with->upload(0, {0}, 1), with->upload(0, {0}, 2));
  EXPECT_EQ(with->upload(0, {0}, 1), with->upload(0, {0}, 1));
  EXPECT_EQ(with->evaluate(data::Part::kTest).loss, without->evaluate(data::Part::kTest).loss);
}

TEST(Parties, EvaluationCutsRowsAsTrainingDoes) {
  const Job loose = small_job({"method=wait-dp", "dp.clip=1000"});
  const Job tight = small_job({"method=wait-dp", "dp.clip=0.01"});
  auto whole = Parties::create(loose, prepared(loose)).value();
  auto cut = Parties::create(tight, prepared(tight)).value();
  EXPECT_NE(whole->evaluate(data::Part::kTest).loss, cut->evaluate(data::Part::kTest).loss);
}

TEST(Parties, AreRestoredBitForBit) {
  const Job job = small_job({"method=wait", "model.aggregation=concat"});
  auto one = Parties::create(job, prepared(job)).value();
  auto two = Parties::create(job, prepared(job)).value();
  const Parties::Samples samples = {5, 6, 7};
  const auto step = [&](Parties& parties) {
    Embeddings embeddings;
    for (int n = 0; n < 9; ++n) embeddings.push_back(parties.upload(n, samples, 0));
    const auto learned = parties.teach_server(embeddings, samples);
    for (int n = 0; n < 9; ++n) parties.teach(n, samples, embeddings, learned);
    return learned.loss;
  };
  step(*one);
  ASSERT_TRUE(two->restore(one->save()));
  EXPECT_EQ(step(*one), step(*two));
  EXPECT_EQ(one->upload(2, samples, 0), two->upload(2, samples, 0));
}

}  // namespace
}  // namespace fedvs::baselines
