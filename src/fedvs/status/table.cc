#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fedvs/base/human.h"
#include "fedvs/net/wire/text.h"
#include "fedvs/status/text.h"

namespace fedvs::status {
namespace {

constexpr std::size_t kLongestName = 24, kLongestLine = 160, kLongestText = 600;  // bytes
constexpr std::size_t kEventsShown = 10, kNamed = 8;
constexpr int kLateCells = 8;
constexpr double kQuietSeconds = 10;      // connected, and silent for longer: worth a word
constexpr double kHardlyLate = 0.05;      // seconds; no bar for less
constexpr std::uint64_t kMissedOf = 100;  // rounds that party::ClientStatus::missed looks back on

std::string state_of(const party::ClientStatus& c) {
  const std::string silence = human_seconds(c.heard_seconds_ago);
  if (!c.connected && c.connects == 0) return "not seen yet";
  if (c.dead) return "dead for " + silence;
  if (!c.connected) return "away for " + silence;
  if (c.behind) return "catching up";
  if (const double rows = rows_held_by(c); rows < 1)
    return fmt::format("has {:.0f} % of rows", std::floor(100 * rows));
  return c.heard_seconds_ago >= kQuietSeconds ? "silent for " + silence : "connected";
}

// So that one sees from afar where to look.
std::string_view mark_of(const party::ClientStatus& c) {
  if (c.dead || !c.connected || !c.standing.empty()) return "!";
  return c.behind || c.heard_seconds_ago >= kQuietSeconds ? "~" : " ";
}

double most_late(const party::RunStatus& status) {
  double most = 0;
  for (const auto& client : status.clients) most = std::max(most, client.late_seconds);
  return most;
}

std::string late_bar(double late, double most) {
  if (!(late >= kHardlyLate) || !(most > 0) || std::isinf(most)) return "";
  const int cells = std::max(1, static_cast<int>(std::lround(kLateCells * late / most)));
  std::string text;
  for (int i = 0; i < cells; ++i) text += "█";
  return text;
}

// While rows are shared: how far, how long still, and the pairs that are furthest behind.
std::string sharing_lines(const party::RunStatus& s) {
  struct Pair {
    double held;
    std::string text;
  };
  std::vector<Pair> pairs;
  for (const auto& to : s.clients) {
    for (std::size_t n = 0; n < std::min(to.rows_of.size(), s.clients.size()); ++n) {
      if (to.rows_of[n] >= 1) continue;
      pairs.push_back(
          {to.rows_of[n],
           fmt::format("{} has {:.0f} % of {}'s", wire::printable(to.name, kLongestName),
                       std::floor(100 * to.rows_of[n]),
                       wire::printable(s.clients[n].name, kLongestName))});
    }
  }
  if (pairs.empty()) return "";
  std::ranges::stable_sort(pairs, {}, &Pair::held);
  std::string text =
      fmt::format("Rows: {} {:.0f} % shared", bar(s.rows.shared), std::floor(100 * s.rows.shared));
  if (s.rows.seconds_left >= 0) text += ", about " + human_seconds(s.rows.seconds_left) + " left";
  constexpr std::size_t kPairs = 3;
  for (std::size_t i = 0; i < std::min(pairs.size(), kPairs); ++i) {
    text += (i == 0 ? "; furthest behind: " : ", ") + pairs[i].text;
  }
  return text + ".\n";
}

std::string progress_lines(const party::RunStatus& s) {
  const auto& p = s.progress;
  const double rounds = static_cast<double>(p.rounds);
  const double done = p.rounds == 0 ? 0 : static_cast<double>(std::min(p.round, p.rounds)) / rounds;
  const double rounds_left = (1 - done) * rounds;
  std::string text =
      fmt::format("{}: {}, epoch {}/{}, round {}/{}\n{} {:.0f} %",
                  wire::printable(s.job, kLongestLine), wire::printable(s.phase, kLongestLine),
                  p.epoch, p.epochs, p.round, p.rounds, bar(done), std::floor(100 * done));
  if (p.round > 0) text += fmt::format("  loss {:.4f}", p.loss);
  text += p.accuracy ? fmt::format("  test accuracy {:.2f} %", 100 * *p.accuracy) : "";
  text += fmt::format("  {:.3g} rounds/s  running {}", s.rounds_per_second,
                      human_seconds(s.running_seconds));
  if (s.rounds_per_second > 0 && rounds_left > 0) {
    text += "  left " + human_seconds(rounds_left / s.rounds_per_second);
  }
  return text + "\n";
}

std::string quorum_line(const party::RunStatus& s) {
  const auto here =
      static_cast<int>(std::ranges::count_if(s.clients, &party::ClientStatus::connected));
  std::string text =
      fmt::format("{} of {} clients connected; {} open a round, so {} may be late or missing", here,
                  s.clients.size(), s.uploads.needed, s.uploads.may_be_late);
  if (here < s.uploads.needed && !s.phase.starts_with("done")) {
    text += fmt::format(".\n! The run stands still until {} more {}", s.uploads.needed - here,
                        s.uploads.needed - here == 1 ? "comes" : "come");
  }
  text += ".\n";
  if (!s.idle.why.empty()) {
    text += fmt::format("! {}; {} rounds and {} epochs without learning.\n",
                        wire::printable(s.idle.why, kLongestLine), s.idle.rounds, s.idle.epochs);
  }
  if (s.heads.needed > 0) {
    text += fmt::format(
        "! Waiting for heads: {} of {} clients say that they were shown the same plans.\n",
        s.heads.agreeing, s.heads.needed);
  }
  return text;
}

// Who needs a look, in a line of words; empty if nobody does.
std::string attention_line(const party::RunStatus& s) {
  std::vector<std::string> all;
  std::size_t more = 0;
  const double most = most_late(s);
  for (const auto& client : s.clients) {
    const std::string name = wire::printable(client.name, kLongestName);
    if (mark_of(client) == " ") continue;
    if (all.size() < kNamed) {
      all.push_back(name + " " +
                    (client.standing.empty() ? state_of(client)
                                             : wire::printable(client.standing, kLongestLine)));
    } else {
      ++more;
    }
  }
  if (more > 0) all.push_back(fmt::format("{} more below", more));
  const auto slowest = std::ranges::max_element(s.clients, {}, &party::ClientStatus::late_seconds);
  if (slowest != s.clients.end() && most >= kHardlyLate) {
    all.push_back(fmt::format("{} last to upload, {} after the first",
                              wire::printable(slowest->name, kLongestName), human_seconds(most)));
  }
  return all.empty() ? "" : fmt::format("Look at: {}.\n", fmt::join(all, "; "));
}

constexpr std::string_view kRow =
    "{} {:<{}}  {:<19} {:>9} {:<8}  {:>6}  {:>4}  {:>8}  {:>8}  {:>8}";

std::string client_row(const party::ClientStatus& c, const party::RunStatus& s, std::size_t width) {
  return fmt::format(kRow, mark_of(c), wire::printable(c.name, kLongestName), width, state_of(c),
                     c.late_seconds < 0 ? "-" : human_seconds(c.late_seconds),
                     late_bar(c.late_seconds, most_late(s)),
                     fmt::format("{}/{}", c.missed, std::min(s.progress.round, kMissedOf)),
                     c.model_age, human_bytes(static_cast<double>(c.bytes_in)),
                     human_bytes(static_cast<double>(c.bytes_out)), c.restarts);
}

std::string exposure_line(const party::RunStatus& s) {
  if (s.exposure.text.empty()) return "";
  return fmt::format("Privacy: {}.\n", wire::printable(s.exposure.text, kLongestText));
}

std::string client_rows(const party::RunStatus& s) {
  std::size_t width = std::string_view("client").size();
  for (const auto& c : s.clients) width = std::max(width, std::min(c.name.size(), kLongestName));
  std::string text = fmt::format(kRow, " ", "client", width, "state", "late by", "", "missed",
                                 "age", "from it", "to it", "restarts");
  for (const auto& client : s.clients) text += fmt::format("\n{}", client_row(client, s, width));
  return text + "\n";
}

std::string event_lines(const party::RunStatus& s) {
  std::string text;
  const std::size_t first = s.events.size() - std::min(s.events.size(), kEventsShown);
  for (std::size_t i = first; i < s.events.size(); ++i) {
    text += fmt::format("  {}\n", wire::printable(s.events[i], kLongestLine));
  }
  return text.empty() ? "" : "\nLast events\n" + text;
}

}  // namespace

std::string status_table(const party::RunStatus& status) {
  return progress_lines(status) + sharing_lines(status) + quorum_line(status) +
         attention_line(status) + "\n" + client_rows(status) + "\n" + exposure_line(status) +
         fmt::format("Relayed {}; plans revised {}; server restarts {}\n",
                     human_bytes(static_cast<double>(status.relayed_bytes)),
                     status.progress.revisions, status.server_restarts) +
         event_lines(status);
}

}  // namespace fedvs::status
