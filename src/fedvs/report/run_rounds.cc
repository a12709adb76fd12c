#include "fedvs/report/run_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fedvs::report {
namespace {

using nlohmann::json;

// Methods that use no older models write no ages.
TimelineRound round_of(const json& event) {
  return {.round = event.at("round").get<long>(),
          .start = event.at("started").get<double>(),
          .end = event.at("time").get<double>(),
          .answered = event.at("answered").get<std::vector<int>>(),
          .late = event.value("late", std::vector<int>()),
          .ages = event.value("model_age", std::vector<int>())};
}

int most_clients(const TimelineRound& round) {
  int most = static_cast<int>(round.ages.size());
  for (int client : round.answered) most = std::max(most, client);
  for (int client : round.late) most = std::max(most, client);
  return most;
}

// Empty if all is well.
std::string mistake_in(const TimelineRound& round, int clients) {
  for (const auto* list : {&round.answered, &round.late}) {
    if (std::ranges::any_of(*list, [](int client) { return client < 1; })) {
      return "a client's number below 1";
    }
  }
  if (const int most = most_clients(round); clients > 0 && most > clients) {
    return fmt::format("client {} of {}", most, clients);
  }
  return round.end < round.start ? "a round that ends before it starts" : "";
}

void count(const TimelineRound& round, RunRounds& all) {
  ++all.rounds;
  all.uploads_used += round.answered.size();
  all.uploads_late += round.late.size();
  for (int age : round.ages) {
    all.models_used += age >= 0;
    all.models_reused += age > 0;
  }
}

std::string add_round(const json& event, int clients, RunRounds& all) {
  TimelineRound round = round_of(event);
  if (auto mistake = mistake_in(round, clients); !mistake.empty()) return mistake;
  count(round, all);
  all.plans_revised += event.value("abandoned", 0U);
  all.timeline.clients = std::max(all.timeline.clients, most_clients(round));
  if (all.timeline.rounds.size() < kMostRounds) all.timeline.rounds.push_back(std::move(round));
  return {};
}

std::string add_event(const json& event, int clients, RunRounds& all) {
  try {
    const std::string kind = event.value("event", "");
    if (kind == "round") return add_round(event, clients, all);
    if (kind == "note") {
      all.notes.rows.push_back(
          {std::to_string(event.at("round").get<long>()), event.at("text").get<std::string>()});
    }
    return {};
  } catch (const json::exception& exception) {  // a key that is missing or of another type
    return exception.what();
  }
}

}  // namespace

Result<RunRounds> read_rounds(const std::vector<json>& events, int clients,
                              const std::string& name) {
  RunRounds all;
  all.timeline.clients = clients;
  all.notes = {.caption = "", .columns = {"round", "note"}, .rows = {}};
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (const auto mistake = add_event(events[i], clients, all); !mistake.empty()) {
      return Error{ErrorCode::kCorrupt, fmt::format("{}:{}: {}", name, i + 1, mistake)};
    }
  }
  all.timeline.title = all.rounds > kMostRounds
                           ? fmt::format("The first {} of {} rounds", kMostRounds, all.rounds)
                           : fmt::format("All {} rounds", all.rounds);
  return all;
}

}  // namespace fedvs::report
