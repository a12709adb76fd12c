// fedvs plan: what N, K, T and h cost, take and expose, before anything runs.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "fedvs/base/human.h"
#include "fedvs/cli/away.h"
#include "fedvs/cli/commands.h"
#include "fedvs/cli/job_options.h"
#include "fedvs/cli/public_facts.h"
#include "fedvs/job/presets.h"
#include "fedvs/protocol/costs.h"
#include "fedvs/protocol/exposure.h"
#include "fedvs/sim/forecast.h"
#include "fedvs/sim/memory.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;

// Every K, and which of them "auto" stands for.
struct Outlook {
  Job job;
  sim::PublicFacts facts;
  std::vector<sim::Forecast> forecasts;
  std::size_t automatic = 0;
  bool predicted = false;  // or as protocol::agree has it

  // The job's own K, or what "auto" stands for.
  const protocol::Agreement& chosen() const {
    const auto own = static_cast<std::size_t>(std::max(job.code.blocks, 0));
    return forecasts[own > 0 ? std::min(own, forecasts.size()) - 1 : automatic].agreement;
  }
  bool networked() const { return job.data.name == "parties"; }
};

Result<Outlook> outlook(const PlanOptions& options) {
  Outlook o;
  FEDVS_TRY(o.job, job_from(options.job));
  if (!is_coded(o.job)) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("method = \"{}\" has no K to plan: it computes in plaintext; use "
                             "method fedvs or fedvs-paper",
                             word(o.job.method))};
  }
  FEDVS_TRY(o.facts, public_facts(o.job, {options.rows, options.columns, options.classes}));
  FEDVS_TRY(o.forecasts, sim::forecasts(o.job, o.facts));
  // Parties of a networked job have no model of delays to choose K by.
  const auto fastest = o.networked() ? std::nullopt : sim::fastest(o.forecasts);
  const auto& shape = o.forecasts[0].agreement.shape;
  const int usual = coding::default_blocks(shape.parties, shape.colluding);
  o.predicted = fastest.has_value();
  o.automatic =
      std::min(fastest.value_or(static_cast<std::size_t>(usual) - 1), o.forecasts.size() - 1);
  return o;
}

json row_json(const Outlook& o, std::size_t i) {
  const auto& [a, round] = o.forecasts[i];
  const auto c = protocol::costs_of(a);
  const auto m = sim::memory_of(a, o.job);
  const auto exposure = protocol::exposure_of(a);
  return {{"K", a.shape.blocks},
          {"T", a.shape.colluding},
          {"N", a.shape.parties},
          {"R", a.shape.threshold()},
          {"auto", i == o.automatic},
          {"stragglers", a.shape.stragglers()},
          {"round_seconds", round ? json(round->mean) : json()},
          {"round_seconds_spread", round ? json(round->spread) : json()},
          {"interpolated", round && round->interpolated},
          {"coded_batch", a.batch_rows()},
          {"data_share_bytes", c.data_share},
          {"model_share_bytes", c.model_share},
          {"round_sent_bytes", c.round_sent},
          {"round_received_bytes", c.round_received},
          {"client_memory_bytes", m.client},
          {"client_file_bytes", m.client_files},
          {"simulation_memory_bytes", m.simulation},
          {"simulation_file_bytes", m.simulation_files},
          {"may_be_away_for_moments", away_for_moments(a.shape)},
          {"may_be_away_for_long", away_for_long(a.shape)},
          {"one_group", protocol::one_group(a.shape.parties, a.shape.colluding)},
          {"exposure", exposure.largest()},
          {"exposure_all", exposure.of_all()},
          {"exposure_group", exposure.of_group()},
          {"exposure_limit", protocol::kExposureLimit}};
}

std::string seconds_text(const std::optional<sim::RoundTime>& round) {
  if (!round) return "-";
  const std::string number =
      round->mean < 100 ? fmt::format("{:.3g}", round->mean) : fmt::format("{:.0f}", round->mean);
  return (round->interpolated ? "~" : "") + number;
}

std::string row_text(const Outlook& o, std::size_t i) {
  const auto& [a, round] = o.forecasts[i];
  const auto c = protocol::costs_of(a);
  const auto m = sim::memory_of(a, o.job);
  return fmt::format(
      "{}{:>4} {:>4} {:>10} {:>9} {:>12} {:>12} {:>12} {:>12} {:>12} {:>14} {:>12}\n",
      i == o.automatic ? "*" : " ", a.shape.blocks, a.shape.threshold(), a.shape.stragglers(),
      seconds_text(round), a.batch_rows(), human_bytes(c.data_share), human_bytes(c.model_share),
      human_bytes(c.round_sent), human_bytes(c.round_received), human_bytes(m.client),
      human_bytes(m.client_files));
}

std::string simulation_text(const sim::Memory& m) {
  const std::string memory = human_bytes(m.simulation) + " of memory";
  if (m.simulation_files == 0) return memory;
  return fmt::format("{}, and {} of mapped files below TMPDIR", memory,
                     human_bytes(m.simulation_files));
}

std::string heading(const Outlook& o) {
  const auto& rows = o.facts.rows;
  return fmt::format(
      "{} clients, T = {} may collude, ring {}, h = {}, batch {}, on {} ({} rows)\n\n"
      "    K    R stragglers   s/round  coded batch   data share  model share   sent/round   "
      "recv/round  memory/client  file/client\n",
      o.chosen().shape.parties, o.job.code.colluding, o.job.code.ring, o.job.model.width,
      o.job.train.batch_size, o.job.data.name, rows[0] + rows[1] + rows[2]);
}

std::string choice_text(const Outlook& o) {
  if (o.networked()) {
    return "* what code.K = \"auto\" stands for in a networked job: the largest with R <= N/2. "
           "s/round: as simulated, with the\n  delays and links of the job's sim keys.";
  }
  if (!o.predicted) {
    return fmt::format(
        "* what code.K = \"auto\" stands for: the largest with R <= N/2. Times are not predicted "
        "(at most {} clients).",
        sim::kMostClientsTried);
  }
  return fmt::format(
      "* what code.K = \"auto\" stands for: the fastest. s/round: virtual seconds per round of {}, "
      "predicted,\n  after the first {} rounds, which wait for everybody.",
      word(o.job.method), o.job.protocol.warmup_rounds);
}

// Indented like the notes around it.
std::string indented(const std::string& text) {
  std::string lines = "  ";
  for (const char c : text) lines += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return lines;
}

std::string notes(const Outlook& o) {
  const auto& a = o.chosen();
  std::string exposure = protocol::exposure_of(a).text();
  exposure[0] = 'E';
  return fmt::format(
      "\n{}\n  Shares go to each of the other {} clients: the data share once, the model share per "
      "version.\n  A client keeps everybody's rows in a mapped file.\n{}{}\n  {}.\n",
      choice_text(o), a.shape.parties - 1,
      o.networked() ? ""
                    : fmt::format("  All parties in one process (fedvs train) take {}.\n",
                                  simulation_text(sim::memory_of(a, o.job))),
      indented(fmt::format("With K = {}: {}", a.shape.blocks, away_text(a.shape))), exposure);
}

Error nothing_tolerates(int stragglers, const coding::Shape& shape) {
  return {ErrorCode::kBadShape,
          fmt::format("no K tolerates {} stragglers of {} clients with T = {}: even K = 1 needs "
                      "R = {} uploads; lower --straggling or --colluding",
                      stragglers, shape.parties, shape.colluding, 2 * shape.colluding + 1)};
}

}  // namespace

ExitStatus plan(const PlanOptions& options) {
  const auto fail = [](const Error& error) {
    std::cerr << "fedvs plan: " << error.message << "\n";
    return exit_status(error);
  };
  const auto o = outlook(options);
  if (!o) return fail(o.error());
  json rows = json::array();
  std::string text;
  for (std::size_t i = 0; i < o->forecasts.size(); ++i) {
    if (o->forecasts[i].agreement.shape.stragglers() < options.straggling) break;
    rows.push_back(row_json(*o, i));
    text += row_text(*o, i);
  }
  if (rows.empty()) return fail(nothing_tolerates(options.straggling, o->chosen().shape));
  if (options.json) {
    std::cout << rows.dump() << "\n";
  } else {
    std::cout << heading(*o) << text << notes(*o);
  }
  return kOk;
}

}  // namespace fedvs::cli
