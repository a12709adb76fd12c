#include "fedvs/cli/job_options.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "fedvs/base/files.h"
#include "fedvs/job/parse.h"

namespace fedvs::cli {
namespace {

// "mine.csv" is a file even if it is not there, so that the complaint is about a file.
bool names_files(const std::string& data) {
  std::error_code failure;
  return data.find_first_of("./,") != std::string::npos ||
         std::filesystem::is_regular_file(data, failure);
}

std::vector<std::string> assignments(const JobOptions& o) {
  std::vector<std::string> sets;
  if (names_files(o.data)) {
    sets.push_back("data.name=csv");
    sets.push_back("data.path=" + o.data);
  } else if (!o.data.empty()) {
    sets.push_back("data.name=" + o.data);
  }
  if (!o.label.empty()) sets.push_back("data.label=" + o.label);
  if (!o.method.empty()) sets.push_back("method=" + o.method);
  if (o.epochs) sets.push_back(fmt::format("train.epochs={}", *o.epochs));
  if (o.clients) sets.push_back(fmt::format("data.clients={}", *o.clients));
  if (o.colluding) sets.push_back(fmt::format("code.T={}", *o.colluding));
  if (o.seed) {  // one seed draws everything: delays, weights, batches and the row split
    sets.push_back(fmt::format("sim.seed={}", *o.seed));
    sets.push_back(fmt::format("data.split_seed={}", *o.seed));
  }
  sets.insert(sets.end(), o.sets.begin(), o.sets.end());
  return sets;
}

}  // namespace

Result<Job> job_from(const JobOptions& options) {
  JobSource source;
  source.sets = assignments(options);
  if (!options.job_file.empty()) {
    FEDVS_TRY(source.toml, read_file(options.job_file));
    source.filename = options.job_file;
  }
  return complete_job(source);
}

}  // namespace fedvs::cli
