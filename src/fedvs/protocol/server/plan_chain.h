// The chain of plans at the server: every plan is written down and signed before it is sent, and
// whoever missed some is told of them before any later plan. docs/design/equivocation.md
//   enters   a step with a plan, to be signed; a hello, with the head that its sender has
//   leaves   the step's head; MissedPlan messages, in the order of the chain
// Where the run has no signed plans (ServerSettings::heads is null) all of this does nothing. Which
// plan a client was told of last is Member::told_plans.
#pragma once
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/per_client.h"
#include "fedvs/protocol/plan_content.h"
#include "fedvs/protocol/server/member.h"
#include "fedvs/protocol/server/settings.h"
#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

class PlanChain {
 public:
  PlanChain(const Agreement& agreement, const ServerSettings& settings, PerClient<Member>& members)
      : agreement_(agreement), settings_(settings), members_(members) {}

  // An error: it could not be written down, and must not be sent.
  Status sign(Step& step, const RunFacts& facts) const;

  // ---- who comes with which head
  Status check(const Hello& hello) const;  // kRefused unless it is of this chain
  // This server has signed it and does not have it: to go on would be to sign two chains.
  bool is_newer_than_the_folder(const Hello& hello) const;

  // ---- who missed some
  bool has_untold(int client) const;
  // kRefused: whoever was told of plans up to that one misses some that are not kept any more.
  Status check_kept(int client, std::uint64_t told) const;
  // Some of them; then it is for the client to report. kBadFile: one cannot be read.
  Status tell_some(int client, Tasks& tasks);
  Status tell_all_before(int client, std::uint64_t index, Effects& effects);

 private:
  SignedHead signed_head(std::uint64_t index, const Digest& link) const;
  bool is_newer_than_the_folder(const SignedHead& head) const;
  // The first plan that the client has not been told of, up to that one; null: it has been of all.
  Result<MessagePtr> next_missed(int client, std::uint64_t up_to, bool more);
  const Agreement& agreement_;
  const ServerSettings& settings_;
  PerClient<Member>& members_;
};

}  // namespace fedvs::protocol
