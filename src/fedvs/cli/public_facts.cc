#include "fedvs/cli/public_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <system_error>

#include "fedvs/data/catalog.h"

namespace fedvs::cli {
namespace {

std::size_t rounded(double count) { return static_cast<std::size_t>(std::llround(count)); }

bool is_here(const std::string& name) {
  if (name == "csv" || name == "synthetic") return true;
  const auto entry = data::find_entry(name);
  std::error_code failure;
  return entry && std::filesystem::exists(data::folder_of(*entry), failure);
}

std::vector<int> dealt(std::size_t features, int clients) {
  std::vector<int> counts(static_cast<std::size_t>(clients), static_cast<int>(features) / clients);
  for (std::size_t n = 0; n < features % static_cast<std::size_t>(clients); ++n) ++counts[n];
  return counts;
}

void split_into(sim::PublicFacts& facts, const Job& job, std::size_t rows, std::size_t test) {
  facts.rows[2] = test;
  facts.rows[1] = rounded(job.data.validation_share * static_cast<double>(rows - test));
  facts.rows[0] = rows - test - facts.rows[1];
}

Status check_counts(const Job& job, const Counts& counts) {
  std::vector<std::string> missing;
  if (!counts.rows) missing.push_back("--rows");
  if (counts.columns.empty()) missing.push_back("--columns");
  if (!counts.classes) missing.push_back("--classes");
  if (!missing.empty()) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("{}; missing: {}. As in: fedvs plan --job job.toml --rows 10000 "
                             "--columns 12,30,7 --classes 2 (one count per client, without the "
                             "row id)",
                             job.data.name == "parties"
                                 ? "data.name = \"parties\": the data is the parties' own files, "
                                   "so say what they hold"
                                 : "--rows, --columns and --classes go together",
                             fmt::join(missing, ", "))};
  }
  const auto clients = static_cast<std::size_t>(job.data.clients);
  if (clients != 0 && clients != counts.columns.size()) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("--columns has {} counts, but the job has data.clients = {}; give one "
                             "count per client",
                             counts.columns.size(), clients)};
  }
  return {};
}

Result<sim::PublicFacts> facts_of(const Job& job, const Counts& counts) {
  FEDVS_TRY_STATUS(check_counts(job, counts));
  sim::PublicFacts facts;
  facts.features = counts.columns;
  facts.classes = *counts.classes;
  const double share =
      job.data.test_share > 0 ? job.data.test_share : data::own_test_share(job.data);
  split_into(facts, job, *counts.rows, rounded(share * static_cast<double>(*counts.rows)));
  if (facts.rows[0] > 0) return facts;
  return Error{ErrorCode::kBadJob,
               fmt::format("of --rows {} none is left to train on after testing and validation",
                           *counts.rows)};
}

}  // namespace

Result<sim::PublicFacts> public_facts(const Job& job, const Counts& counts) {
  if (job.data.name == "parties" || counts.rows || counts.classes || !counts.columns.empty())
    return facts_of(job, counts);
  sim::PublicFacts facts;
  const auto split = [&](std::size_t rows, std::size_t test) {
    split_into(facts, job, rows, test);
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
      facts.features.push_back(static_cast<int>(columns.size()));
    }
    facts.classes = set.classes;
    return facts;
  }
  FEDVS_TRY(const auto entry, data::find_entry(job.data.name));
  const int clients = job.data.clients > 0 ? job.data.clients : entry.clients;
  if (clients < 1 || static_cast<std::size_t>(clients) > entry.features) {
    return Error{ErrorCode::kBadShape,
                 fmt::format("{} clients for the {} columns of {}; name a set with as many columns "
                             "by --data, or fewer clients",
                             clients, entry.features, entry.name)};
  }
  facts.features = dealt(entry.features, clients);
  const auto test =
      entry.test_rows > 0
          ? entry.test_rows
          : static_cast<std::size_t>(entry.test_share * static_cast<double>(entry.rows));
  split(entry.rows, test);
  facts.classes = entry.classes;
  return facts;
}

}  // namespace fedvs::cli
