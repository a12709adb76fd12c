#include "fedvs/protocol/server/roll_call.h"

#include <fmt/format.h>

#include <algorithm>

namespace fedvs::protocol {

int RollCall::here() const {
  return static_cast<int>(
      std::ranges::count_if(members_, [](const Member& member) { return member.presence.here(); }));
}

// Whoever is quarantined or was sent away is not waited for.
bool RollCall::all_are_heard() const {
  const auto is_heard = [](const Member& member) {
    const bool waited_for = !member.conduct.quarantined && !member.presence.was_sent_away();
    return member.presence.here() || member.claim || !waited_for;
  };
  return std::ranges::all_of(members_, is_heard) && here() >= agreement_.uploads_needed();
}

std::vector<int> RollCall::caught_up(std::vector<int> clients) const {
  std::erase_if(clients, [&](int n) { return members_[n].presence.is_behind(); });
  return clients;
}

std::vector<int> RollCall::unsaved() const {
  std::vector<int> clients;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!members_[n].finished) clients.push_back(n);
  }
  return clients;
}

bool RollCall::may_upload(int client) const {
  return members_[client].plan.sent && board_.able(client, *open_.plan);
}

int RollCall::uploads_possible() const {
  int clients = 0;
  for (int n = 0; n < agreement_.shape.parties; ++n) clients += may_upload(n) ? 1 : 0;
  return clients;
}

bool RollCall::others_may_upload() const {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (board_.answers(n) && !members_[n].presence.is_behind() && !open_.box.has_upload_of(n))
      return true;
  }
  return false;
}

bool RollCall::enough_hold(const Plan& plan) const {
  return static_cast<int>(caught_up(board_.able(plan)).size()) >= agreement_.uploads_needed();
}

bool RollCall::names_withheld(const std::vector<std::optional<Version>>& held) const {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto client = static_cast<std::size_t>(n);
    if (board_.withholds(n) && open_.plan->versions[client] != held[client]) return true;
  }
  return false;
}

bool RollCall::everybody_reported() const {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (board_.answers(n) && !members_[n].reported) return false;
  }
  return true;
}

bool RollCall::below_quorum() const {
  int answering = 0;
  for (int n = 0; n < agreement_.shape.parties; ++n) answering += board_.answers(n) ? 1 : 0;
  return answering < agreement_.shape.quorum();
}

std::optional<int> RollCall::heads_waited_with() const {
  std::optional<int> least;
  for (const Member& member : members_) {
    const auto& agree = member.plan.agreeing;
    if (agree) least = std::min(least.value_or(*agree), *agree);
  }
  return least;
}

std::string RollCall::why_not_counted_on(int client) const {
  const auto& conduct = members_[client].conduct;
  if (conduct.quarantined) return "quarantined: " + conduct.reason;
  if (board_.withholds(client)) return "does not share its model";
  if (board_.defaults(client)) return "does not upload";
  return {};
}

std::string RollCall::missing() const {
  std::string names;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const std::string why = why_not_counted_on(n);
    const bool away = board_.dead(n) || !members_[n].presence.here();
    if (!away && board_.answers(n)) continue;
    if (!away && why.empty()) continue;
    names += agreement_.listed(n);
    if (!why.empty()) names += fmt::format(" ({})", why);
  }
  return names;
}

std::string RollCall::heads_missing() const {
  const auto agree = heads_waited_with();
  if (!agree) return {};
  return fmt::format("; waiting for heads: {} of {}", *agree, agreement_.shape.quorum());
}

}  // namespace fedvs::protocol
