// New models, and who would still hold them without their sender. A client that gives its model to
// R - 1 others and uploads makes R uploads; once such a sum is opened all forget the models before,
// and when it then leaves for good too few are left for any plan. So a round whose models are new
// is opened when R can go on with them whichever of their senders leaves. One that is slow costs
// others no more than a moment; one that leaves others out is not counted on after dead_after.
#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {

bool Server::outlasts_any_sender() const {
  return settings_.archive == nullptr || open_.doubt ||
         policy_.outlasts_any_sender(*open_.plan, roll().there());
}

// R uploads are there. Clients have not told yet whose share they lack: they are asked.
Tasks Server::open_if_held(double now) {
  if (outlasts_any_sender()) return open_now();
  if (open_.holders.runs()) return {};
  open_.holders.start(now);
  waits_.deadline = now + waits_.pace.on_time();
  return request_reports();
}

// All have told, some time after the R-th upload, and nobody lacks one sender's share only: those
// that do not hold the plan's models are slow.
bool Server::holders_settled(double now) const {
  if (!phase_.is(Phase::kWaiting) || !open_.holders.runs() || !enough_uploads()) return false;
  if (outlasts_any_sender()) return true;
  const bool told =
      roll().everybody_reported() && now >= open_.holders.since() + waits_.pace.on_time();
  return told && policy_.scarce(*open_.plan, roll().there()).empty();
}

// None: somebody leaves others out, and is waited for as where uploads are too few.
std::optional<Tasks> Server::holders_deadline_passed(double now) {
  if (!open_.holders.runs() || outlasts_any_sender()) return open_if_held(now);
  const bool all_have_it = policy_.scarce(*open_.plan, roll().there()).empty();
  const double told_by = open_.holders.since() + waits_.soft_deadline();
  if (now < told_by && !(all_have_it && roll().everybody_reported())) {
    waits_.deadline = told_by;
    return Tasks{};
  }
  if (all_have_it) return open_now();
  return std::nullopt;
}

}  // namespace fedvs::protocol
