// All that a client knows of plans: which it may accept (PlanGuard), the chain that it was shown
// (HeadBook), groups, and the plan that is open.
//
// Where a refused plan goes: nowhere. accept() returns kRefused with the reason, and neither guard,
// chain nor groups keep anything of the step that it came with. The client breaks off
// (Client::break_off): the plan is not answered (a gradient in the same step is of the plan before,
// and was judged by itself); the driver's journal writes the reason and the revision to
// `refused.json` (party/refused.h), so that no restart takes part again without the operator's
// word, and only then the server is sent a Refusal, which quarantines this client
// (server/attendance.h). Other clients are told only where the server has signed two chains
// (Echo::kWarn, with the proof).
#pragma once
#include <optional>
#include <vector>

#include "fedvs/protocol/client/head_book.h"
#include "fedvs/protocol/client/known_groups.h"
#include "fedvs/protocol/client/open_plan.h"
#include "fedvs/protocol/client/options.h"
#include "fedvs/protocol/client/plan_guard.h"

namespace fedvs::v1 {
class SavedPlans;
}

namespace fedvs::protocol {

class PlanBook {
 public:
  PlanBook(int client, const Agreement& agreement, const ClientOptions& options);
  const PlanGuard& guard() const { return guard_; }
  KnownGroups& groups() { return groups_; }
  const KnownGroups& groups() const { return groups_; }
  OpenPlan& open() { return open_; }
  const OpenPlan& open() const { return open_; }
  HeadBook* heads() { return heads_ ? &*heads_ : nullptr; }  // null: plans are not signed
  const HeadBook* heads() const { return heads_ ? &*heads_ : nullptr; }

  // ---- judging what the server sends: kRefused. `content`: d of the step's plan
  Status accept_groups(const std::shared_ptr<const Groups>& groups);
  void forget_groups();  // of a step that was refused
  Status accept(const Step& step, const Digest& content);
  // A plan that was made while the client was away: judged and remembered, never answered. It is
  // newer than the open one, so an upload that has not left yet is withdrawn. Plans of the warm-up,
  // which have no groups, are accepted even where groups are known already. Needs heads().
  Status accept_missed(const Step& step, const Digest& content);
  // `received`: gradients before it; `behind`: the client may have missed plans.
  Status check_gradient(const Gradient& gradient, StepNumber received, bool behind) const;
  // Groups that more than T clients say they are bound to, so at least one honest client, bind this
  // one as well: it may have been away when those were told.
  Status bind_as_others(const std::vector<Groups>& said);

  // ---- over a restart
  Status recall(const Step& step);  // one that was accepted after the last save; kRefused
  void save(v1::SavedPlans& to) const;
  Status restore(const v1::SavedPlans& from);  // kCorrupt

 private:
  Status check_head(const Step& step, const Digest& content) const;
  const Agreement& agreement_;
  PlanGuard guard_;
  std::optional<HeadBook> heads_;
  KnownGroups groups_;
  OpenPlan open_;
};

}  // namespace fedvs::protocol
