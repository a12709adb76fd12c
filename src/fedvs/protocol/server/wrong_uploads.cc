// Uploads that contradict each other: who is found out, and what is done where nobody is.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {
namespace {

constexpr int kSuspiciousRounds = 20;  // opened with uploads to spare, after a contradiction
constexpr int kSpare = 2;              // uploads beyond R that find one wrong one out

}  // namespace

// After a contradiction that named nobody, some more than R are waited for while they may come.
bool Server::enough_uploads() const {
  const int needed = agreement_.uploads_needed();
  if (open_.doubt && open_.box.count() <= open_.doubt->uploads) return false;
  if (open_.suspicion.rounds == 0 || open_.box.count() >= needed + kSpare)
    return open_.box.count() >= needed;
  return open_.box.count() >= needed && !roll().others_may_upload();
}

// The uploads contradict each other and are too few to tell which are wrong: more of the same plan
// tell. Where more do not come the run stops: nobody knows which sum is right. (Seeds of masks are
// committed to, so that no client can spoil all uploads by its masks.)
Tasks Server::doubt(double now, const Error& contradiction) {
  if (agreement_.correct_uploads || !roll().others_may_upload()) {
    return fail(contradiction.code, contradiction.message);
  }
  if (!open_.doubt) observer_.on_note(contradiction.message + "; waiting for more uploads");
  const double since = open_.doubt ? open_.doubt->since : now;
  open_.doubt = {.contradiction = contradiction, .since = since, .uploads = open_.box.count()};
  open_.box.reopen();
  phase_.enter(Phase::kWaiting);
  waits_.deadline = now + waits_.span;
  return {};
}

// Of more than T at most T are at fault: then somebody sends others wrong shares, and would have
// all of them quarantined one by one. Their uploads are found out each time, with some to spare.
Tasks Server::found_wrong(double now, int client) {
  const auto for_that = [&](const Conduct& c) { return c.quarantined && c.reason == kWrongUpload; };
  if (std::ranges::count_if(members_, for_that, &Member::conduct) < agreement_.shape.colluding) {
    return quarantine(now, client, kWrongUpload, /*refused=*/false);
  }
  open_.suspicion.rounds = kSuspiciousRounds;
  note_about(now, client,
             fmt::format("round {}: the upload of {} is wrong too, as those of T = {} before: some "
                         "client sends others wrong shares; it is left out of this sum",
                         course_.round, agreement_.name(client), agreement_.shape.colluding));
  return {};
}

// Without slack the run stops: nobody knows which sum is right. Spare uploads that do not come are
// done without.
std::optional<Tasks> Server::doubt_deadline_passed(double now) {
  if (!phase_.is(Phase::kWaiting)) return std::nullopt;
  if (open_.doubt) {
    if (now - open_.doubt->since > agreement_.dead_after || !roll().others_may_upload()) {
      return fail(open_.doubt->contradiction.code, open_.doubt->contradiction.message);
    }
    return std::nullopt;
  }
  const bool held_back = open_.suspicion.rounds > 0 || open_.holders.runs();
  if (!held_back || open_.box.count() < agreement_.uploads_needed()) return std::nullopt;
  return holders_deadline_passed(now);
}

// Of plans that were opened before they came.
Result<Tasks> Server::judge_late(double now) {
  Tasks tasks;
  for (const auto& found : open_.box.check_late()) {
    if (agreement_.correct_uploads) {
      observer_.on_note(found.error.message);
      continue;
    }
    const bool spare = board_.alive() >= agreement_.uploads_needed() + kSpare;
    if (found.wrong.empty() && !spare) return found.error;
    observer_.on_note(found.error.message);
    for (int n : found.wrong) append(tasks, found_wrong(now, n));
    if (found.wrong.empty()) open_.suspicion.rounds = kSuspiciousRounds;
    if (found.was_opened) take_back(*found.plan);
    if (!phase_.status()) return phase_.status().error();
  }
  return tasks;
}

// What the central model learned from a sum that was wrong, or may have been. The clients have
// their gradients: those are bounded.
void Server::take_back(const Plan& plan) {
  const bool learned = plan.training() && open_.suspicion.learned_round == plan.round;
  if (!learned || open_.suspicion.central_before.empty()) return;
  if (const auto loaded = learner_.central().load(open_.suspicion.central_before); !loaded) {
    fail(loaded.error().code, loaded.error().message);
    return;
  }
  observer_.on_note(fmt::format(
      "round {}: the sum that it was opened to may be wrong; the central model is the one from "
      "before it",
      plan.round));
}

}  // namespace fedvs::protocol
