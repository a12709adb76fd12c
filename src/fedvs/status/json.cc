#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "fedvs/status/text.h"

namespace fedvs::status {
namespace {

using nlohmann::json;

// The one list of fields: writing and reading both go through it.
template <class Client, class Visit>
void for_fields_of_client(Client& c, Visit&& visit) {
  visit("name", c.name);
  visit("connected", c.connected);
  visit("dead", c.dead);
  visit("behind", c.behind);
  visit("standing", c.standing);
  visit("heard_seconds_ago", c.heard_seconds_ago);
  visit("missed", c.missed);
  visit("model_age", c.model_age);
  visit("bytes_in", c.bytes_in);
  visit("bytes_out", c.bytes_out);
  visit("connects", c.connects);
  visit("restarts", c.restarts);
  visit("rows_of", c.rows_of);
}
template <class Run, class Visit>
void for_fields_of_run(Run& s, Visit&& visit) {
  visit("job", s.job);
  visit("phase", s.phase);
  visit("round", s.progress.round);
  visit("rounds", s.progress.rounds);
  visit("epoch", s.progress.epoch);
  visit("epochs", s.progress.epochs);
  visit("needed", s.uploads.needed);
  visit("may_be_late", s.uploads.may_be_late);
  visit("heads_agreeing", s.heads.agreeing);
  visit("heads_needed", s.heads.needed);
  visit("exposure", s.exposure.largest);
  visit("exposure_text", s.exposure.text);
  visit("loss", s.progress.loss);
  visit("running_seconds", s.running_seconds);
  visit("rounds_per_second", s.rounds_per_second);
  visit("server_restarts", s.server_restarts);
  visit("revisions", s.progress.revisions);
  visit("nobody_learns", s.idle.why);
  visit("idle_rounds", s.idle.rounds);
  visit("idle_epochs", s.idle.epochs);
  visit("relayed_bytes", s.relayed_bytes);
  visit("rows_shared", s.rows.shared);
  visit("events", s.events);
}

struct Writer {
  json& object;
  template <class T>
  void operator()(const char* key, const T& value) const {
    object[key] = value;  // what is not finite becomes null when it is printed
  }
};

// Takes values of the field's own kind only; remembers the first key that has another.
struct Reader {
  const json& object;
  std::string& wrong;

  void operator()(const char* key, std::string& field) const {
    if (const json* value = expect(key, &json::is_string)) value->get_to(field);
  }
  void operator()(const char* key, bool& field) const {
    if (const json* value = expect(key, &json::is_boolean)) value->get_to(field);
  }
  void operator()(const char* key, double& field) const {
    field = std::numeric_limits<double>::quiet_NaN();
    if (const auto found = object.find(key); found != object.end() && found->is_null()) return;
    if (const json* value = expect(key, &json::is_number)) value->get_to(field);
  }
  void operator()(const char* key, std::uint64_t& field) const {
    if (const json* value = expect(key, &json::is_number_unsigned)) value->get_to(field);
  }
  void operator()(const char* key, int& field) const {
    const json* value = expect(key, &json::is_number_integer);
    if (value == nullptr) return;
    const auto wide = value->get<std::int64_t>();
    field = static_cast<int>(wide);
    if (field != wide) refuse(key);
  }
  void operator()(const char* key, std::vector<std::string>& field) const {
    const json* value = expect(key, &json::is_array);
    if (value == nullptr) return;
    for (const auto& entry : *value) {
      if (!entry.is_string()) return refuse(key);
      field.push_back(entry.get<std::string>());
    }
  }
  void operator()(const char* key, std::vector<double>& field) const {
    const json* value = expect(key, &json::is_array);
    if (value == nullptr) return;
    for (const auto& entry : *value) {
      if (!entry.is_number()) return refuse(key);
      field.push_back(entry.get<double>());
    }
  }

  using Kind = bool (json::*)() const noexcept;
  const json* expect(const char* key, Kind kind) const {
    const auto found = object.find(key);
    if (found != object.end() && ((*found).*kind)()) return &*found;
    refuse(key);
    return nullptr;
  }
  void refuse(const char* key) const {
    if (wrong.empty()) wrong = key;
  }
};

json json_of(const party::ClientStatus& client) {
  json object;
  for_fields_of_client(client, Writer{object});
  object["late_seconds"] = client.late_seconds < 0 ? json() : json(client.late_seconds);
  return object;
}

party::ClientStatus client_of(const json& object, std::string& wrong) {
  party::ClientStatus client;
  if (!object.is_object()) return wrong = "clients", client;
  const Reader read{object, wrong};
  for_fields_of_client(client, read);
  read("late_seconds", client.late_seconds);
  if (std::isnan(client.late_seconds)) client.late_seconds = -1;
  return client;
}

Error no_status(std::string why) {
  return {ErrorCode::kBadData, fmt::format("this is no status of a FedVS server: {}", why)};
}

}  // namespace

double rows_held_by(const party::ClientStatus& client) {
  if (client.rows_of.empty()) return 1;
  return std::accumulate(client.rows_of.begin(), client.rows_of.end(), 0.0) /
         static_cast<double>(client.rows_of.size());
}

std::string status_json(const party::RunStatus& status) {
  json object;
  for_fields_of_run(status, Writer{object});
  object["accuracy"] = status.progress.accuracy ? json(*status.progress.accuracy) : json();
  const bool known = status.rows.seconds_left >= 0;
  object["sharing_seconds_left"] = known ? json(status.rows.seconds_left) : json();
  object["clients"] = json::array();
  for (const auto& client : status.clients) object["clients"].push_back(json_of(client));
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<party::RunStatus> parse_status(std::string_view text) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return no_status("it is no JSON object");
  party::RunStatus status;
  std::string wrong;
  const Reader read{object, wrong};
  for_fields_of_run(status, read);
  double accuracy = 0;
  read("accuracy", accuracy);
  if (!std::isnan(accuracy)) status.progress.accuracy = accuracy;
  read("sharing_seconds_left", status.rows.seconds_left);
  if (std::isnan(status.rows.seconds_left)) status.rows.seconds_left = -1;
  if (const json* clients = read.expect("clients", &json::is_array)) {
    for (const auto& client : *clients) status.clients.push_back(client_of(client, wrong));
  }
  if (!wrong.empty()) return no_status(fmt::format("\"{}\" is missing or of another kind", wrong));
  return status;
}

}  // namespace fedvs::status
