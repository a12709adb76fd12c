// fedvs plan: what N, K, T and h cost and expose, before anything runs.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "fedvs/cli/commands.h"
#include "fedvs/cli/job_options.h"
#include "fedvs/cli/progress.h"
#include "fedvs/cli/summary.h"
#include "fedvs/data/catalog.h"
#include "fedvs/protocol/costs.h"
#include "fedvs/protocol/memory.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;

struct Table {
  std::size_t rows[data::kParts] = {0, 0, 0};
  std::vector<int> features;
  int classes = 2;
};

std::size_t rounded(double count) { return static_cast<std::size_t>(std::llround(count)); }

bool is_here(const std::string& name) {
  if (name == "csv" || name == "synthetic") return true;
  const auto entry = data::find_entry(name);
  return entry && std::filesystem::exists(data::folder_of(*entry));
}

std::vector<int> dealt(std::size_t features, int clients) {
  std::vector<int> counts(static_cast<std::size_t>(clients), static_cast<int>(features) / clients);
  for (std::size_t n = 0; n < features % static_cast<std::size_t>(clients); ++n) ++counts[n];
  return counts;
}

// Public facts only. A set whose files are here is read, so that the plan is that of the training;
// otherwise the catalogue's figures do.
Result<Table> table_of(const Job& job) {
  Table table;
  const auto split = [&](std::size_t rows, std::size_t test) {
    table.rows[2] = test;
    table.rows[1] = rounded(job.data.validation_share * static_cast<double>(rows - test));
    table.rows[0] = rows - test - table.rows[1];
  };
  if (is_here(job.data.name)) {
    FEDVS_TRY(const auto set, data::load(job.data));
    if (set.test_from) {
      split(set.features.rows, set.features.rows - *set.test_from);
    } else {
      const double share = job.data.test_share > 0 ? job.data.test_share : set.test_share;
      split(set.features.rows, rounded(share * static_cast<double>(set.features.rows)));
    }
    for (const auto& columns : set.client_columns) {
      table.features.push_back(static_cast<int>(columns.size()));
    }
    table.classes = set.classes;
    return table;
  }
  FEDVS_TRY(const auto entry, data::find_entry(job.data.name));
  const int clients = job.data.clients > 0 ? job.data.clients : entry.clients;
  if (clients < 1 || static_cast<std::size_t>(clients) > entry.features) {
    return Error{ErrorCode::kBadShape,
                 fmt::format("{} clients for the {} columns of {}; name a set with as many columns "
                             "by --data, or fewer clients",
                             clients, entry.features, entry.name)};
  }
  table.features = dealt(entry.features, clients);
  const auto test =
      entry.test_rows > 0
          ? entry.test_rows
          : static_cast<std::size_t>(entry.test_share * static_cast<double>(entry.rows));
  split(entry.rows, test);
  table.classes = entry.classes;
  return table;
}

json row_json(const protocol::Agreement& a, const protocol::Costs& c, const protocol::Memory& m) {
  return {{"K", a.shape.blocks},
          {"T", a.shape.colluding},
          {"N", a.shape.parties},
          {"R", a.shape.threshold()},
          {"stragglers", a.shape.stragglers()},
          {"coded_batch", a.batch_rows()},
          {"data_share_bytes", c.data_share},
          {"model_share_bytes", c.model_share},
          {"round_sent_bytes", c.round_sent},
          {"round_received_bytes", c.round_received},
          {"client_memory_bytes", m.client},
          {"client_file_bytes", m.client_files},
          {"simulation_memory_bytes", m.simulation},
          {"simulation_file_bytes", m.simulation_files},
          {"exposure", protocol::exposure(a)},
          {"group_exposure", protocol::group_exposure(a)}};
}

std::string row_text(const protocol::Agreement& a, const protocol::Costs& c,
                     const protocol::Memory& m, bool is_default) {
  return fmt::format("{}{:>4} {:>4} {:>10} {:>12} {:>12} {:>12} {:>12} {:>12} {:>14} {:>12}\n",
                     is_default ? "*" : " ", a.shape.blocks, a.shape.threshold(),
                     a.shape.stragglers(), a.batch_rows(), human_bytes(c.data_share),
                     human_bytes(c.model_share), human_bytes(c.round_sent),
                     human_bytes(c.round_received), human_bytes(m.client),
                     human_bytes(m.client_files));
}

std::string simulation_text(const protocol::Memory& m) {
  const std::string memory = human_bytes(m.simulation) + " of memory";
  if (m.simulation_files == 0) return memory;
  return fmt::format("{}, and {} of mapped files below TMPDIR", memory,
                     human_bytes(m.simulation_files));
}

}  // namespace

ExitStatus plan(const PlanOptions& options) {
  const auto fail = [](const Error& error) {
    std::cerr << "fedvs plan: " << error.message << "\n";
    return exit_status(error);
  };
  auto job = job_from(options.job);
  if (!job) return fail(job.error());
  const auto table = table_of(*job);
  if (!table) return fail(table.error());
  const int parties = static_cast<int>(table->features.size());
  const int colluding = job->code.colluding;
  const int usual = parties > 0 && colluding > 0 ? coding::default_blocks(parties, colluding) : 1;

  json rows = json::array();
  std::string text;
  std::optional<Error> last_error;
  double exposed = 0, group_exposed = 0;
  protocol::Memory usual_memory{};
  bool shows_usual = false;
  for (int blocks = 1; blocks <= parties; ++blocks) {
    job->code.blocks = blocks;
    auto agreement = protocol::agree(*job, table->features, table->rows, table->classes);
    if (!agreement) {
      last_error = agreement.error();
      break;
    }
    if (agreement->shape.stragglers() < options.straggling) break;
    const auto costs = protocol::costs_of(*agreement);
    const auto memory = protocol::memory_of(*agreement, *job);
    rows.push_back(row_json(*agreement, costs, memory));
    text += row_text(*agreement, costs, memory, blocks == usual);
    exposed = protocol::exposure(*agreement);
    group_exposed = protocol::group_exposure(*agreement);
    if (blocks <= usual) usual_memory = memory;
    shows_usual |= blocks == usual;
  }
  if (rows.empty()) {
    return fail(last_error.value_or(Error{
        ErrorCode::kBadShape,
        fmt::format("no K tolerates {} stragglers of {} clients with T = {}: even K = 1 needs "
                    "R = {} uploads; lower --straggling or --colluding",
                    options.straggling, parties, colluding, 2 * colluding + 1)}));
  }
  if (options.json) {
    std::cout << rows.dump() << "\n";
    return kOk;
  }
  std::cout << fmt::format(
      "{} clients, T = {} may collude, ring {}, h = {}, batch {}, on {} ({} rows)\n\n"
      "    K    R stragglers  coded batch   data share  model share   sent/round   recv/round  "
      "memory/client  file/client\n",
      parties, colluding, job->code.ring, job->model.width, job->train.batch_size, job->data.name,
      table->rows[0] + table->rows[1] + table->rows[2]);
  std::cout << text;
  std::cout << fmt::format(
      "\n{}Shares go to each of the other {} clients: the data share once,\n"
      "  the model share per version. A client keeps everybody's rows in a mapped file.\n"
      "  All parties in one process (fedvs train) take {}.\n"
      "  Exposure {:.2f}: h times the openings of a row, over all features ({:.2f} over those of "
      "the "
      "narrowest group); {}\n",
      shows_usual ? "* the default K (the largest with R <= N/2). " : "", parties - 1,
      simulation_text(usual_memory), exposed, group_exposed,
      group_exposed < 1
          ? "below 1, the sums do not determine the features."
          : "from 1 on, the exact sums determine the features up to a change of basis "
            "(docs/privacy.md).");
  return kOk;
}

}  // namespace fedvs::cli
