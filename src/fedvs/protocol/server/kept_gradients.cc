// The gradients that are kept for whoever comes back, and how long.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/server/returns.h"

namespace fedvs::protocol {

// Before the step is sent: a client that comes back later gets the very same gradient.
Status Returns::archive(const Step& step) {
  if (settings_.archive == nullptr) return {};
  if (step.gradient) {
    FEDVS_TRY_STATUS(settings_.archive->append({step.gradient, step.rate_factor, post_.link}));
    post_.link = next_link(post_.link, *step.gradient, step.rate_factor);
    ++post_.sent;
    forget_old_gradients();
  }
  post_.save_due = true;
  return {};
}

void Returns::note_saved(int client, StepNumber step) {
  auto& saved = members_[client].saved;
  if (settings_.archive == nullptr || step <= saved) return;
  saved = std::min(step, steps_sent());
  members_[client].cannot_catch_up = false;
  forget_old_gradients();
}

// Those that nobody needs who may come back. For one that stays away they are not kept for ever:
// then it cannot catch up any more, and its group stands still.
void Returns::forget_old_gradients() {
  const auto most = static_cast<StepNumber>(settings_.max_catch_up);
  const StepNumber kept =
      std::max(post_.sent - std::min(post_.sent, most), settings_.archive->oldest_that_fits());
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    Member& member = members_[n];
    if (member.saved >= kept || member.cannot_catch_up || board_.answers(n)) continue;
    member.cannot_catch_up = true;
    observer_.on_note(
        fmt::format("{} is away and was last known to have saved step {}: it cannot catch up "
                    "any more from there (protocol.max_catch_up = {} rounds, or the log is full)",
                    agreement_.name(n), member.saved, most));
  }
  const StepNumber saved_by_all = std::ranges::min(members_.each(&Member::saved));
  settings_.archive->forget_before(std::max(saved_by_all, kept));
}

}  // namespace fedvs::protocol
