#include "fedvs/experiments/data_check.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "fedvs/data/catalog.h"

namespace fedvs::experiments {
namespace {

bool has_files(const data::CatalogEntry& entry) {
  const std::filesystem::path folder = data::folder_of(entry);
  return std::ranges::all_of(entry.files, [&](const auto& file) {
    std::error_code failure;
    return std::filesystem::exists(folder / file.name, failure);
  });
}

Status check_set(const DataJob& job) {
  if (job.name == "synthetic") return {};
  if (job.name != "csv") {
    FEDVS_TRY(const auto entry, data::find_entry(job.name));
    if (has_files(entry)) return {};
  }
  const auto loaded = data::load(job);  // which says what is missing, and where
  return loaded ? Status() : loaded.error();
}

}  // namespace

Status check_data(const std::vector<Trial>& trials) {
  std::set<std::string> checked;
  for (const auto& trial : trials) {
    if (!checked.insert(trial.job.data.name + trial.job.data.path).second) continue;
    FEDVS_TRY_STATUS(check_set(trial.job.data));
  }
  return {};
}

}  // namespace fedvs::experiments
