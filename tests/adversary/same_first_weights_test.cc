// A curious server keeps the sums of two runs over the same rows, between which one client has
// changed its table. Were the others' first weights the same in both, then the first sums would
// differ by that client's embeddings alone:
//   sum' - sum = X_c' W_c' - X_c W_c
// It shows only in the files of real parties whether they are.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <sstream>

#include "fedvs/model/fixed_rows.h"
#include "fedvs/party/client_state.h"
#include "fedvs/protocol/saved.h"
#include "fedvs/v1/client_state.pb.h"
#include "tests/party/rehearsal.h"

namespace fedvs {
namespace {

using party::testing::Rehearsal;

constexpr int kChanged = 2;
using Embeddings = std::vector<double>;  // training rows x width

class SameFirstWeights : public ::testing::Test {
 protected:
  // A whole run of real parties whose rate is so small that all keep the weights that they began
  // with; then every client's embeddings of the training rows.
  std::vector<Embeddings> train() {
    for (int n = 0; n < Rehearsal::kClients; ++n) std::filesystem::remove_all(state_of(n));
    std::filesystem::remove_all(run_.trial().server / "state");
    run_.start_server();
    for (int n = 0; n < Rehearsal::kClients; ++n) run_.start_client(n);
    const auto over = run_.wait();
    EXPECT_TRUE(over.server) << over.server.error().message << run_.log().text();
    std::vector<Embeddings> all;
    for (int n = 0; n < Rehearsal::kClients; ++n) all.push_back(embeddings_of(n));
    return all;
  }
  std::filesystem::path state_of(int n) const {
    return run_.trial().clients[static_cast<std::size_t>(n)] / "state";
  }
  Embeddings embeddings_of(int n) const {
    const auto state = party::ClientState::open(state_of(n), Rehearsal::kClients).value();
    v1::SavedModel saved;
    EXPECT_TRUE(saved.ParseFromString(state.parts().value().model));
    const auto weights =
        protocol::numbers_of<float>("weights", saved.weights()).value();  // width x inputs
    data::Standardiser fitted;
    const auto prepared = data::prepare_party(run_.rows_of(n), run_.job().data, &fitted).value();
    const model::FixedRows rows(prepared.features[0], kDegree, kScale);
    std::vector<std::int32_t> row(rows.cols());
    Embeddings made;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
      rows.integers(r, row);
      for (std::size_t at = 0; at < weights.size(); at += row.size()) {
        double sum = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
          sum += std::ldexp(row[i], -kScale) * static_cast<double>(weights[at + i]);
        }
        made.push_back(sum);
      }
    }
    return made;
  }
  // One value of one row.
  void change_table(int n) const {
    std::istringstream table(contents_of(run_.table_of(n)));
    std::string changed, line;
    for (int at = 0; std::getline(table, line); ++at) {
      if (at == 5) line = line.substr(0, line.rfind(',')) + ",0.123";
      changed += line + "\n";
    }
    put(run_.table_of(n), changed);
  }

  static constexpr int kDegree = 1, kScale = 12;
  Rehearsal run_{{"data.rows=120", "data.validation_share=0.1", "train.epochs=1", "code.K=1",
                  "model.degrees=[1]", "train.lr_client=1e-30", "train.client_optimizer=sgd"}};
};

// First weights are keyed by the table as it was read, its columns' names among it; what others
// hold are rounded integers. Were a table with other names but the same integers the same sharing,
// then a server that offers the first run again would get other first weights of this client alone.
TEST_F(SameFirstWeights, WhatGivesOtherFirstWeightsIsAnotherSharing) {
  const auto sharing = [&] { return contents_of(run_.trial().clients[kChanged] / "sharing.ckpt"); };
  train();
  const auto first = sharing();
  train();
  EXPECT_EQ(sharing(), first) << "the same table";
  const std::string table = contents_of(run_.table_of(kChanged));
  const auto end = table.find('\n');
  put(run_.table_of(kChanged), table.substr(0, end) + "_renamed" + table.substr(end));
  train();
  EXPECT_NE(sharing(), first);
}

Embeddings sum_of(const std::vector<Embeddings>& all) {
  Embeddings sum(all[0].size(), 0.0);
  for (const auto& one : all) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one[i];
  }
  return sum;
}

TEST_F(SameFirstWeights, TwoTrainingsTellNothingOfTheOneClientThatChangedItsTable) {
  const auto first = train();
  change_table(kChanged);
  const auto second = train();
  const auto before = sum_of(first), after = sum_of(second);
  std::size_t read = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double truth = second[kChanged][i] - first[kChanged][i];
    if (std::abs(after[i] - before[i] - truth) < 1e-6 * std::abs(truth)) ++read;
  }
  std::printf("entries of one client's embeddings that the sums of two runs tell: %zu of %zu\n",
              read, before.size());
  EXPECT_LT(read, before.size() / 100);
}

}  // namespace
}  // namespace fedvs
