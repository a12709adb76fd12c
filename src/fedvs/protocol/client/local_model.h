// A client's own model: real weights, their optimiser, and the versions that were rounded for
// sharing. Rounded weights of a step are fixed once: rounding a step twice would let the server see
// two sums of one model.                                                        Paper: Eq. (3)
#pragma once
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/model/fixed_rows.h"
#include "fedvs/model/optimizer.h"
#include "fedvs/model/polynomial_network.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/client/gradient_chain.h"
#include "fedvs/protocol/plan.h"
#include "fedvs/protocol/work.h"
#include "fedvs/quant/overflow_guard.h"

namespace fedvs::v1 {
class SavedModel;
}

namespace fedvs::protocol {

class LocalModel {
 public:
  // The client's rows of each part, from which it learns: those of a client that is alone in its
  // process from its standardised columns, or columns of a block that all clients share.
  using Rows = std::array<model::FixedRows, data::kParts>;
  static Rows own_rows(const Agreement& agreement, int client,
                       const data::Table (&features)[data::kParts]);
  LocalModel(const Agreement& agreement, int client, Rows rows, model::PolynomialNetwork network,
             model::Optimizer optimizer);

  // Control runs ahead of arithmetic: accept() notes a gradient at once, learn() and round() do the
  // numbers later, in the same order.
  StepNumber step() const { return chain_.step(); }
  const GradientChain& chain() const { return chain_; }
  const model::FixedRows& rows(data::Part part) const {
    return rows_[static_cast<std::size_t>(part)];
  }
  const model::PolynomialNetwork& network() const { return network_; }

  void accept(const Gradient& gradient, double rate_factor);
  // One gradient: W_n -= rate * (1 / summed clients) X^T g. Not learned where the plan dropped us.
  void learn(const Gradient& gradient, double rate_factor);
  // Rounds the weights learned so far as those of `step`, once and for ever: width x inputs
  // integers. kRefused, from then on, where a sum with them could wrap; those of the step are zero
  // then, and must not be shared.
  Status round(StepNumber step, SecretSource& secrets);
  const Status& fits() const { return fits_; }
  void forget_before(StepNumber step);  // rounded versions that no plan can name any more

  // Takes over a trained version, the newest or the one that is named, as step 0: exactly the
  // rounded weights that were shared. kBadData where they break the overflow bound with this
  // model's own rows, kCorrupt if the shape differs or the version is not there.
  Status adopt(std::string_view saved, std::optional<StepNumber> version = {});

  // As secret as the model: who holds the bytes or the message wipes them (saved_model.h).
  std::string save() const;
  void save(v1::SavedModel& to) const;
  Status restore(std::string_view bytes);  // kCorrupt
  Status restore(const v1::SavedModel& from);
  const std::map<StepNumber, std::vector<std::int32_t>>& rounded() const { return rounded_; }

 private:
  Status check_range() const;
  Status check_columns(std::span<const std::int32_t> integers) const;
  const Agreement& agreement_;
  int client_;
  Rows rows_;
  model::PolynomialNetwork network_;
  model::Optimizer optimizer_;
  quant::OverflowGuard guard_;
  GradientChain chain_;
  std::map<StepNumber, std::vector<std::int32_t>> rounded_;
  std::vector<std::int32_t> spare_;  // the memory of a version forgotten, for the next one
  std::vector<float> gradient_;      // scratch
  Status fits_;
};

}  // namespace fedvs::protocol
