// Every reason for which a client refuses a plan. The server chooses rows, versions and masks; this
// is what keeps its choices from singling a client out or from opening anything twice.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/base/bytes.h"
#include "fedvs/base/result.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/masks.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

class PlanGuard {
 public:
  explicit PlanGuard(const Agreement& agreement);

  // Who is who: the incarnations of this run's server and clients.
  void meet(const Welcome& welcome) { welcome_ = welcome; }
  // Groups are fixed for the run: a partition of the clients into groups of at least T+2 (or one).
  Status accept_groups(const Groups& groups);
  // Per client: `frozen` may be of any age; `released` may also differ from its group (only where
  // the job's on_dead is "release").
  struct Exceptions {
    std::vector<bool> frozen, released;
  };
  // kRefused, with the reason, or remembers the plan's rows, versions and masks as used.
  Status accept(const Plan& plan, const Exceptions& exceptions, MaskStock& masks);
  // A plan that was accepted in an earlier life, from its notes.
  void recall(const Plan& plan, const Exceptions& exceptions);
  // All revisions below it have been accepted or passed by.
  std::uint64_t next_revision() const { return last_ ? last_->revision + 1 : 0; }
  std::string save() const;
  Status restore(ByteReader& in);  // kCorrupt
  // The same plan again (a repeated message), which may be answered with the same bytes.
  bool repeats_last(const Plan& plan) const;

 private:
  Status check_order(const Plan& plan) const;
  Status check_rows(const Plan& plan, const Digest& version_vector) const;
  Status check_versions(const Plan& plan, const Exceptions& exceptions) const;
  Status check_groups(const Plan& plan, const Exceptions& exceptions) const;
  Status check_exceptions(const Plan& plan, const Exceptions& exceptions) const;
  Status check_masks(const Plan& plan, const MaskStock& masks) const;
  Status restore_rows(ByteReader& in);
  void remember(const Plan& plan, const Digest& version_vector, const Exceptions& exceptions);

  const Agreement& agreement_;
  Welcome welcome_;
  Groups groups_;  // one group of all until the server names others
  bool groups_fixed_ = false;
  std::optional<Plan> last_;  // accepted
  int epoch_ = 0;
  // Per client: the version at which it was released; it stays there.
  std::vector<std::optional<StepNumber>> released_at_;
  // Per part and coded row: the version vector under which it was uploaded in this epoch.
  std::vector<std::uint32_t> vector_of_row_[data::kParts];  // 1 + its place in vectors_; 0: none
  std::vector<Digest> vectors_;                             // named in this epoch
};

Digest plan_digest(const Plan& plan);

}  // namespace fedvs::protocol
