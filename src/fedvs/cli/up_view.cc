#include "fedvs/cli/up_view.h"

#include <fmt/format.h>

#include <cstdio>

#include "fedvs/cli/progress.h"
#include "fedvs/cli/stop_signals.h"

namespace fedvs::cli {
namespace {

// An example of what one can do to a client while the others go on.
std::string how_to_kill(Party& client) {
  return fmt::format(
      "Kill a client and watch the others go on: kill -9 {}\n"
      "Let it come back: {}",
      client.process.process(), shell_command(client.arguments));
}

}  // namespace

UpView::UpView(const UpFolder& folder, bool quiet)
    : folder_(folder), quiet_(quiet), words_(folder.log_file("server")) {}

void UpView::begin(Parties& parties) {
  told_.assign(parties.all().size(), false);
  say(fmt::format("A server and {} clients as processes of this machine, in {}; logs in {}",
                  folder_.clients().size(), folder_.path().string(),
                  (folder_.path() / "logs").string()));
  say(how_to_kill(parties.all().back()));
}

void UpView::say(const std::string& text) {
  if (quiet_) return;
  table_.clear();
  std::fputs((text + "\n").c_str(), stderr);
}

void UpView::pass_on_words() {
  for (const auto& line : words_.new_lines()) {
    say(line);
    last_words_ = line;
  }
}

void UpView::tell_ended(Party& party, bool others_go_on) {
  const int status = *party.status();
  std::string text = fmt::format("{} ended: {}", party.name, how_it_ended(status));
  if (failed(status))
    text += fmt::format("\n  log {}: {}", party.log.string(), last_line(party.log));
  if (status != 0 && others_go_on) {
    text += fmt::format("\n  start it again: {}", shell_command(party.arguments));
  }
  say(text);
}

std::string UpView::row_of(Party& party) const {
  const auto status = party.status();
  const std::string state =
      status ? how_it_ended(*status) : fmt::format("process {}", party.process.process());
  const bool server = party.name == "server";
  const std::string seconds =
      human_seconds(std::chrono::duration<double>(Clock::now() - started_).count());
  return fmt::format("{:<10} {:<18} {}", party.name, state,
                     server ? fmt::format("{}  {}", seconds, last_words_) : last_line(party.log));
}

void UpView::show(Parties& parties) {
  pass_on_words();
  auto& all = parties.all();
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (told_[p] || !all[p].status()) continue;
    told_[p] = true;
    if (&all[p] == &parties.server()) pass_on_words();  // what it said last
    tell_ended(all[p], stop_signals_counted() == 0 && !parties.server().status());
  }
  if (quiet_ || !table_.due()) return;
  std::vector<std::string> rows;
  for (auto& party : all) rows.push_back(row_of(party));
  table_.show(rows);
}

}  // namespace fedvs::cli
