// Before training: everybody says hello, and gets everybody's rows.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {

Tasks Server::on(double now, const Hello& hello) {
  const Member& member = members_[hello.from];
  if (const auto known = chain().check(hello); !known) {
    // Its own signature proves that the folder is an old one: to go on would be to sign two chains.
    if (chain().is_newer_than_the_folder(hello))
      return fail(known.error().code, known.error().message);
    return farewell(hello.from, Ending::kRefused, known.error().message);
  }
  // Whoever comes back does so in another life.
  if (member.presence.here() && member.life == hello.incarnation) {
    note_about(now, hello.from, fmt::format("{} said hello twice", agreement_.name(hello.from)));
    return {};
  }
  if (member.conduct.quarantined && member.conduct.quarantines >= Conduct::kQuarantines) {
    return farewell(hello.from, Ending::kRefused, roll().why_not_counted_on(hello.from));
  }
  switch (phase_.now()) {
    case Phase::kGathering:
      return gather(hello);
    case Phase::kPreparing:
      return regather(hello);
    case Phase::kReturning:
      return gather_again(now, hello);
    default:
      return welcome_back(now, hello);
  }
}

// ---- before training: nothing is kept but the rows that were shared

Tasks Server::gather(const Hello& hello) {
  meet(hello);
  if (roll().here() < agreement_.shape.parties) return {};
  policy_.meet(welcome());
  adopt_groups();
  phase_.enter(Phase::kPreparing);
  sharing_.begin(waits_.now);
  waits_.below.stop();
  waits_.deadline = waits_.now + waits_.setup_interval();
  return to_all(make_message(welcome()), welcome_bytes());
}

// The models and seeds shared so far did not reach it: everybody starts over.
Tasks Server::regather(const Hello& hello) {
  observer_.on_note(fmt::format("{} came back before training; everybody says hello again",
                                agreement_.name(hello.from)));
  phase_.enter(Phase::kGathering);
  for (Member& member : members_) member.presence.leave();
  meet(hello);
  Tasks tasks = to_all(make_message(Regather{}), 8);
  tasks.erase(tasks.begin() + hello.from);
  return tasks;
}

// Everybody must say hello and share its rows. That may take as long as it does while something
// moves; whoever is alive answers when asked.
Tasks Server::setup_deadline_passed(double now) {
  if (const auto names = silent_before_training(now); !names.empty()) {
    return wait_before_training(now, names);
  }
  waits_.below.stop();
  if (sharing_.still_for(now) > Waits::kLongest * agreement_.dead_after) {
    return fail(ErrorCode::kTooFewShares,
                fmt::format("before training: all clients answer, but for {:.0f} s no rows have "
                            "come: {}",
                            sharing_.still_for(now), sharing_.unfinished()));
  }
  waits_.deadline = now + waits_.setup_interval();
  return request_reports(sharing_.should_ask_again(now, 2 * agreement_.dead_after));
}

std::string Server::silent_before_training(double now) const {
  std::string names;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const double seen = board_.last_seen(n);
    const bool long_ago = settings_.archive == nullptr || now - seen > agreement_.dead_after;
    const bool silent = phase_.is(Phase::kGathering)
                            ? !members_[n].presence.here()
                            : waits_.asked_at > 0 && seen < waits_.asked_at && long_ago;
    if (silent) names += agreement_.listed(n);
  }
  return names;
}

Tasks Server::wait_before_training(double now, const std::string& names) {
  const std::string lack = fmt::format(
      "before training: no sign of clients{} for {} s; all {} must share their rows "
      "first",
      names, agreement_.dead_after, agreement_.shape.parties);
  return wait_for_return(now, lack) ? request_reports() : Tasks{};
}

}  // namespace fedvs::protocol
