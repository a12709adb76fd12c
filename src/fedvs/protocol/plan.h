// A plan names all that a round needs: the coded rows and one model version per client; its mask
// follows from it (plan_content.h). Groups bind the versions: within a group of at least T+2
// clients all steps are equal, so that the sums never single a client out.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fedvs/base/bytes.h"
#include "fedvs/base/digest.h"
#include "fedvs/base/lazy.h"
#include "fedvs/data/prepared.h"
#include "fedvs/model/gradient_batch.h"
#include "fedvs/protocol/identity.h"

namespace fedvs::protocol {

struct Agreement;
using Groups = std::vector<std::vector<int>>;  // a partition of the clients

struct Plan {
  std::uint64_t round = 0;     // gradients broadcast before it: a fresh version has step == round
  std::uint64_t revision = 0;  // counts plans over the whole run; later plans have larger ones
  int epoch = 0;
  data::Part part = data::Part::kTrain;  // training rows are learned from, others only evaluated
  std::vector<std::size_t> rows;         // coded rows, distinct
  std::vector<std::optional<Version>> versions;  // per client; empty: dropped from this sum
  bool training() const { return part == data::Part::kTrain; }
  int summed_clients() const;  // how many versions are named: the divisor of the average
  bool operator==(const Plan&) const = default;
};

void write_plan(ByteWriter& out, const Plan& plan);
Result<Plan> read_plan(ByteReader& in);  // kCorrupt

// Identifies a version vector: two plans for a row in an epoch must agree on it.
Digest version_vector_id(const Plan& plan);
// Of all that a plan names: round, revision, epoch, part, version vector, rows in their order.
Digest plan_digest(const Plan& plan);

double row_norm(std::span<const float> row);  // L2; infinity if a value is no finite number

// The gradient of the average embedding of one round, as every client receives it. Its digest is
// computed once however many parties share the object.
class Gradient {
 public:
  Gradient(std::shared_ptr<const Plan> plan, std::vector<float> values);
  const Plan& plan() const { return *plan_; }
  const std::vector<float>& values() const { return values_; }  // K b x h; zero for padding
  const Digest& digest() const { return digest_; }
  // The L2 norm of its longest row of `width` values; infinity if one is no finite number. Computed
  // once.
  double longest_row(std::size_t width) const;
  // Laid out for the clients' products: made once however many clients share the object.
  const model::GradientBatch& batch(const Agreement& agreement) const;
  // A replay knows the plan only; the values of gradients still on their way come later.
  explicit Gradient(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)), digest_{} {}
  void fill(std::vector<float> values);

 private:
  std::shared_ptr<const Plan> plan_;
  std::vector<float> values_;
  Digest digest_;
  Lazy<model::GradientBatch> batch_;
  Lazy<double> longest_row_;
};

// chain_0 is zero; chain_{s+1} = H(chain_s, gradient, rate factor). A model share carries its
// step's link, so that unequal gradients, unequal rates or a fork after a roll-back show
// themselves.
Digest next_link(const Digest& chain, const Gradient& gradient, double rate_factor);

}  // namespace fedvs::protocol
