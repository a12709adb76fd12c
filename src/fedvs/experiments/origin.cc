#include "fedvs/experiments/origin.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

namespace fedvs::experiments {
namespace {

std::string text_at(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string or_unknown(const std::string& text) { return text.empty() ? "unknown" : text; }

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

Origin origin_of(const nlohmann::json& result) {
  return {text_at(result, "commit"), text_at(result, "machine")};
}

std::string mixture_of(const Origins& origins) {
  std::set<std::string> commits, machines;
  for (const auto& [run, origin] : origins) {
    commits.insert(or_unknown(origin.commit));
    machines.insert(or_unknown(origin.machine));
  }
  if (commits.size() <= 1 && machines.size() <= 1) return {};
  return fmt::format("A mixture: the runs of this page come from {} and {}, listed at its end.",
                     counted(commits.size(), "commit"), counted(machines.size(), "machine"));
}

report::Section origin_section(const Origins& origins) {
  std::map<Origin, std::size_t> runs;
  for (const auto& [run, origin] : origins) ++runs[origin];
  report::Section section;
  section.title = "Where the runs come from";
  section.text = {
      "The program that ended each run; the one named at the top of the page drew the page."};
  report::Table table{.caption = "", .columns = {"commit", "machine", "runs"}, .rows = {}};
  for (const auto& [origin, count] : runs) {
    table.rows.push_back(
        {or_unknown(origin.commit), or_unknown(origin.machine), std::to_string(count)});
  }
  section.tables = {std::move(table)};
  return section;
}

}  // namespace fedvs::experiments
