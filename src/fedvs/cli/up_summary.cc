#include "fedvs/cli/up_summary.h"

#include <fmt/format.h>

#include <cmath>
#include <system_error>

#include "fedvs/run/metrics_log.h"
#include "fedvs/run/run_folder.h"

namespace fedvs::cli {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json last_accuracy(const fs::path& run) {
  const auto folder = run::RunFolder::open(run);
  if (!folder) return {};
  const auto rows = run::read_metrics(folder->metrics_file());
  if (!rows) return {};
  json accuracy;
  for (const auto& row : *rows) {
    if (!std::isnan(row.test_accuracy)) accuracy = row.test_accuracy;
  }
  return accuracy;
}

json path_if_there(const fs::path& file) {
  std::error_code failure;
  return fs::exists(file, failure) ? json(file.string()) : json();
}

}  // namespace

json up_summary(const UpFolder& folder, const std::map<std::string, int>& exit_statuses_by_party) {
  const fs::path run = folder.run_folder();
  return {{"dir", folder.path().string()},
          {"run", run.string()},
          {"logs", (folder.path() / "logs").string()},
          {"report", path_if_there(run / "report.html")},
          {"test_accuracy", last_accuracy(run)},
          {"exit_statuses", exit_statuses_by_party}};
}

std::string up_summary_text(const json& summary, bool finished) {
  std::string text;
  if (const auto& accuracy = summary["test_accuracy"]; accuracy.is_number()) {
    text += fmt::format("{:.2f} % test accuracy\n", 100 * accuracy.get<double>());
  }
  for (const char* what : {"report", "run", "logs"}) {
    if (!summary[what].is_string()) continue;
    text += fmt::format("{:<8}{}\n", what, summary[what].get<std::string>());
  }
  if (finished) return text;
  return text + fmt::format("go on   {}\n", shell_command({"up", "--dir", summary["dir"]}));
}

}  // namespace fedvs::cli
