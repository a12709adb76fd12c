// The models of a plan in one process: the named versions and their masks side by side, once per
// plan, from which every client's share of all of them is one combination.
//   W~_m = W + z(alpha_m) r(alpha_m)                                             Paper: Eq. (4)
#pragma once
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "fedvs/field/ring_matrix.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/share.h"

namespace fedvs::sim {

class SharedModels {
 public:
  explicit SharedModels(const protocol::Agreement& agreement) : agreement_(agreement) {}

  using Terms = std::vector<const field::RingMatrix*>;  // W, T coefficients: in panels
  // Of these shares, one per sender (null: dropped); null if they were not made.
  const Terms* find(std::span<const protocol::SharePtr> shares) const;

  void want_none();
  // Makes the terms of these shares unless some of them came as bytes.
  void want(std::span<const protocol::SharePtr> shares);
  // Lets the secrets of models go that nobody wants; their room is used again.
  void forget_unwanted();

 private:
  struct Models {
    std::vector<std::shared_ptr<const protocol::Secret>> secrets;  // per sender; null: dropped
    std::vector<field::RingMatrix> terms;
    Terms pointers;
    bool wanted = false;
  };
  const Models* find_models(std::span<const protocol::SharePtr> shares) const;
  void assemble(Models& named, std::span<const protocol::SharePtr> shares) const;

  const protocol::Agreement& agreement_;
  std::deque<Models> named_;  // of the plans being computed: one or two
};

}  // namespace fedvs::sim
