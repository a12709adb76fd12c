#include <fmt/format.h>

#include <cmath>

#include "fedvs/net/wire/text.h"
#include "fedvs/status/text.h"

namespace fedvs::status {
namespace {

constexpr std::size_t kLongestLabel = 200;  // bytes

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : wire::printable(value, kLongestLabel)) {
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}
std::string number(std::uint64_t value) { return fmt::format("{}", value); }
std::string number(int value) { return fmt::format("{}", value); }
std::string number(bool value) { return value ? "1" : "0"; }

void head(std::string& text, std::string_view name, std::string_view type, std::string_view help) {
  text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

template <class Value>
void single(std::string& text, std::string_view name, std::string_view type, std::string_view help,
            Value value) {
  head(text, name, type, help);
  text += fmt::format("{} {}\n", name, number(value));
}

// One line per client, whose lines of one metric must stand together.
template <class Value>
void per_client(std::string& text, const party::RunStatus& status, std::string_view name,
                std::string_view type, std::string_view help, Value party::ClientStatus::*field) {
  head(text, name, type, help);
  for (const auto& client : status.clients) {
    text +=
        fmt::format("{}{{client=\"{}\"}} {}\n", name, escaped(client.name), number(client.*field));
  }
}

void add_lateness(std::string& text, const party::RunStatus& status) {
  constexpr std::string_view kName = "fedvs_client_late_seconds";
  head(text, kName, "gauge", "Of its last upload, after the first one of that round.");
  for (const auto& client : status.clients) {
    if (client.late_seconds < 0) continue;
    text += fmt::format("{}{{client=\"{}\"}} {}\n", kName, escaped(client.name),
                        number(client.late_seconds));
  }
}

void add_rows(std::string& text, const party::RunStatus& status) {
  constexpr std::string_view kName = "fedvs_client_rows_held_ratio";
  head(text, kName, "gauge", "Of everybody's coded rows, 0 to 1, while rows are shared.");
  for (const auto& client : status.clients) {
    if (client.rows_of.empty()) continue;
    text += fmt::format("{}{{client=\"{}\"}} {}\n", kName, escaped(client.name),
                        number(rows_held_by(client)));
  }
  if (status.rows.seconds_left < 0) return;
  single(text, "fedvs_sharing_seconds_left", "gauge",
         "Until all rows are shared, by the rate so far.", status.rows.seconds_left);
}

void add_run(std::string& text, const party::RunStatus& s) {
  head(text, "fedvs_run_info", "gauge", "Always 1; the labels say what runs.");
  text += fmt::format("fedvs_run_info{{job=\"{}\",phase=\"{}\"}} 1\n", escaped(s.job),
                      escaped(s.phase));
  single(text, "fedvs_round", "gauge", "Rounds so far.", s.progress.round);
  single(text, "fedvs_rounds_expected", "gauge", "Rounds in all.", s.progress.rounds);
  single(text, "fedvs_epoch", "gauge", "Epoch under way.", s.progress.epoch);
  single(text, "fedvs_epochs_expected", "gauge", "Epochs in all.", s.progress.epochs);
  single(text, "fedvs_clients_needed", "gauge", "Uploads that open a round, R.", s.uploads.needed);
  single(text, "fedvs_clients_may_be_late", "gauge", "Clients that a round can do without, N - R.",
         s.uploads.may_be_late);
  if (s.exposure.largest > 0) {
    single(text, "fedvs_exposure", "gauge",
           "Numbers opened per row over honest columns; below 0.2 is necessary, not sufficient.",
           s.exposure.largest);
  }
  single(text, "fedvs_loss", "gauge", "Mean training loss.", s.progress.loss);
  if (s.progress.accuracy) {
    single(text, "fedvs_test_accuracy", "gauge", "Of the last test, 0 to 1.", *s.progress.accuracy);
  }
  single(text, "fedvs_running_seconds", "gauge", "Since the server started.", s.running_seconds);
  single(text, "fedvs_rounds_per_second", "gauge", "Rounds per second.", s.rounds_per_second);
  single(text, "fedvs_server_restarts_total", "counter", "Lives of the server after its first.",
         s.server_restarts);
  single(text, "fedvs_revisions_total", "counter", "Plans that were revised.",
         s.progress.revisions);
  single(text, "fedvs_idle_rounds_total", "counter", "Rounds from which no client learned.",
         s.idle.rounds);
  single(text, "fedvs_relayed_bytes_total", "counter", "Passed on from client to client, sealed.",
         s.relayed_bytes);
}

void add_clients(std::string& text, const party::RunStatus& s) {
  using C = party::ClientStatus;
  const auto add = [&](std::string_view name, std::string_view type, std::string_view help,
                       auto field) { per_client(text, s, name, type, help, field); };
  add("fedvs_client_connected", "gauge", "1 while the client is connected.", &C::connected);
  add("fedvs_client_dead", "gauge", "1 if silent for so long that its group stands still.",
      &C::dead);
  add("fedvs_client_behind", "gauge", "1 while it gets the gradients that it missed.", &C::behind);
  add("fedvs_client_heard_seconds_ago", "gauge", "Since its last message.", &C::heard_seconds_ago);
  add_lateness(text, s);
  add("fedvs_client_missed_rounds", "gauge", "Rounds opened without it, of the last hundred.",
      &C::missed);
  add("fedvs_client_model_age_rounds", "gauge", "Age of its model in the last plan.",
      &C::model_age);
  add("fedvs_client_received_bytes_total", "counter", "From it.", &C::bytes_in);
  add("fedvs_client_sent_bytes_total", "counter", "To it.", &C::bytes_out);
  add("fedvs_client_connects_total", "counter", "Times that it connected.", &C::connects);
  add("fedvs_client_restarts_total", "counter", "Lives of the client after its first.",
      &C::restarts);
}

}  // namespace

std::string status_metrics(const party::RunStatus& status) {
  std::string text;
  add_run(text, status);
  add_clients(text, status);
  add_rows(text, status);
  return text;
}

}  // namespace fedvs::status
