// Clients that come back, the middle layer of the server (attendance.h has the other two). A client
// that comes back lives under a new incarnation; the models that it shared before still count.
//   enters   a hello after training has begun, and reports of its sender while it is behind
//   leaves   in this order:
//            1. the Welcome, to everybody: whose incarnation is whose now, and which steps of
//               models plans name
//            2. to the client, the gradients that it missed, each a Step without a plan, 32 at a
//               time; then the plans that it missed (MissedPlan, plan_chain.h), 256 at a time.
//               After each lot it reports, and gets the next
//            3. when it has all, it is Present (presence.h) and its group moves again. It is asked
//               for its model if none of the step of now is held of it, and gets the next plan; the
//               open one only if too few can answer that without it (Server::revise_for_returned)
//   or else  a farewell: its folder is not of this run, or what it misses is not kept any more
// Gradients are kept for whoever may still need them: see forget_old_gradients.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fedvs/protocol/server/attendance.h"
#include "fedvs/protocol/server/plan_chain.h"

namespace fedvs::protocol {

class Returns : public Attendance {
 protected:
  Returns(const Agreement& agreement, const coding::LagrangeCode& code, SecretSource& secrets,
          Observer& observer, ServerSettings settings);
  PlanChain chain() { return {agreement_, settings_, members_}; }
  StepNumber steps_sent() const { return post_.sent; }  // gradients

  // ---- hellos
  void meet(const Hello& hello);  // it lives under that incarnation from now on
  Status check_return(const Hello& hello);
  Tasks welcome_back(double now, const Hello& hello);
  Tasks welcome_late(double now, const Hello& hello);  // when the run is over
  Welcome welcome() const;
  std::size_t welcome_bytes() const { return 16 * (1 + parties(agreement_)); }

  // ---- what it missed
  Tasks catch_up(double now, int client);  // the next lot
  Tasks leave_behind(int client, const Error& why);

  // ---- what is kept for whoever comes back (kept_gradients.cc)
  Status archive(const Step& step);
  void note_saved(int client, StepNumber step);

 private:
  std::vector<std::optional<StepNumber>> named_steps() const;
  Tasks send_missed(int client);
  Error too_far_behind(int client, StepNumber step) const;
  void forget_old_gradients();

  const Incarnation incarnation_;
};

}  // namespace fedvs::protocol
