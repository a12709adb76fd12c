// Every reason for which a client refuses a plan. The server chooses rows and versions; this is
// what keeps its choices from singling a client out or from opening anything twice.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fedvs/base/bytes.h"
#include "fedvs/base/result.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

class PlanGuard {
 public:
  explicit PlanGuard(const Agreement& agreement);

  // Groups are fixed for the run: a partition of the clients into groups of at least T+2 (or one);
  // and those that it is bound to where an earlier run over the same rows had some.
  void bind(const Groups& groups) { bound_ = groups; }  // empty: none
  Status accept_groups(const Groups& groups);
  void forget_groups();  // the step that they came with was refused
  // Per client: `frozen` may be of any age; `released` may also differ from its group (only where
  // the job's on_dead is "release").
  struct Exceptions {
    std::vector<bool> frozen, released;
  };
  // What holds for every plan, whoever makes it and whenever: a training or evaluation of the job's
  // epochs on distinct rows, all clients summed (whole groups with late_models = drop), one step
  // per group, none newer than the round. kRefused.
  Status check_static(const Plan& plan, const Exceptions& exceptions) const;
  // The plan of a gradient, made while this client was away: check_static, with what the plan
  // itself shows of exceptions, and its place among the plans that this client has accepted.
  // kRefused.
  Status check_missed(const Plan& plan) const;
  // kRefused, with the reason, or remembers the plan's rows and versions. The same for a plan that
  // is to be answered, one that was made while this client was away, and one from the notes of an
  // earlier life.
  Status accept(const Plan& plan, const Exceptions& exceptions);
  // All revisions below it have been accepted or passed by.
  std::uint64_t next_revision() const { return last_ ? last_->revision + 1 : 0; }
  std::string save() const;
  Status restore(ByteReader& in);  // kCorrupt
  // The same plan again (a repeated message), which may be answered with the same bytes.
  bool repeats_last(const Plan& plan) const;

 private:
  Status judge(const Plan& plan, const Digest& version_vector, const Exceptions& exceptions) const;
  Status check_order(const Plan& plan) const;
  Status check_rows(const Plan& plan) const;
  Status check_rows_opened(const Plan& plan, const Digest& version_vector) const;
  Status check_versions(const Plan& plan, const Exceptions& exceptions) const;
  bool may_be_left_out(std::size_t client, const Exceptions& exceptions) const;
  Status check_groups(const Plan& plan, const Exceptions& exceptions) const;
  Status check_released(const Plan& plan, const Exceptions& exceptions) const;
  Exceptions shown_by(const Plan& plan) const;
  void show_released(const Plan& plan, std::span<const int> group, Exceptions& shown) const;
  Status restore_rows(ByteReader& in);
  void remember(const Plan& plan, const Digest& version_vector, const Exceptions& exceptions);

  const Agreement& agreement_;
  Groups groups_;  // one group of all until the server names others
  bool groups_fixed_ = false;
  Groups bound_;
  std::optional<Plan> last_;  // accepted
  int epoch_ = 0;
  // Per client: the version at which it was released; it stays there.
  std::vector<std::optional<StepNumber>> released_at_;
  // Per part and coded row: the version vector under which it was uploaded in this epoch.
  std::vector<std::uint32_t> vector_of_row_[data::kParts];  // 1 + its place in vectors_; 0: none
  std::vector<Digest> vectors_;                             // named in this epoch
};

}  // namespace fedvs::protocol
