// A client's own model: real weights, their optimiser, and the versions that were rounded for
// sharing. Rounded weights of a step are fixed once: rounding a step twice would let the server see
// two sums of one model.                                                        Paper: Eq. (3)
#pragma once
#include <map>
#include <string>
#include <vector>

#include "fedvs/base/bytes.h"
#include "fedvs/base/digest.h"
#include "fedvs/data/dataset.h"
#include "fedvs/model/optimizer.h"
#include "fedvs/model/polynomial_network.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/plan.h"
#include "fedvs/protocol/work.h"
#include "fedvs/quant/overflow_guard.h"

namespace fedvs::protocol {

class LocalModel {
 public:
  // `features`: the client's standardised columns of each part; kept as the rounded rows
  // 2^-l_x Round(2^l_x x^) from which it learns.
  LocalModel(const Agreement& agreement, int client, const data::Table (&features)[data::kParts],
             model::PolynomialNetwork network, model::Optimizer optimizer);

  StepNumber step() const { return chain_.size() - 1; }
  const Digest& chain(StepNumber step) const { return chain_[step]; }  // step <= step()
  const data::Table& rounded_rows(data::Part part) const { return rows_[static_cast<int>(part)]; }
  const model::PolynomialNetwork& network() const { return network_; }

  // One gradient: W_n -= rate * (1 / summed clients) X^T g. Not learned where the plan dropped us.
  void apply(const Gradient& gradient, double rate_factor, Arithmetic arithmetic);
  // The quantised weights (width x inputs) of the current step, overflow projected away. Drawn the
  // first time; the same ever after.
  const std::vector<std::int32_t>& round_current(SecretSource& secrets, Arithmetic arithmetic);
  void forget_before(StepNumber step);  // rounded versions that no plan can name any more

  struct Projections {
    std::uint64_t versions = 0;   // that were rounded
    std::uint64_t projected = 0;  // of them, with a column scaled down to the overflow bound
  };
  const Projections& projections() const { return projections_; }

  // Takes over a trained version as step 0: its rounded weights are those that were shared, brought
  // within the overflow bound of this model's own rows. kCorrupt if the shape differs.
  Status adopt(const std::string& saved);

  std::string save() const;
  Status restore(const std::string& bytes);  // kCorrupt
  const std::map<StepNumber, std::vector<std::int32_t>>& rounded() const { return rounded_; }

 private:
  bool limit_columns();
  void project_columns(std::vector<std::int32_t>& integers, bool limited);
  Status restore_optimizer(ByteReader& in);
  Status restore_versions(ByteReader& in);
  const Agreement& agreement_;
  int client_;
  data::Table rows_[data::kParts];
  model::PolynomialNetwork network_;
  model::Optimizer optimizer_;
  quant::OverflowGuard guard_;
  std::vector<Digest> chain_;  // by step
  std::map<StepNumber, std::vector<std::int32_t>> rounded_;
  std::vector<float> gradient_;  // scratch
  Projections projections_;
};

// Round(2^l_x x^) of one table, as integers.
std::vector<std::int32_t> quantised_rows(const data::Table& rounded_rows, int l_x);

}  // namespace fedvs::protocol
