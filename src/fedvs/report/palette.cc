#include "fedvs/report/palette.h"

#include <nlohmann/json.hpp>
#include <set>

#include "fedvs/report/assets.h"

namespace fedvs::report {
namespace {

Look look(const nlohmann::json& described) {
  return {.colour = described.at("light"),
          .width = described.at("width"),
          .dash = described.at("dash")};
}

Look free_look(const nlohmann::json& others, const std::set<std::string>& taken) {
  for (const auto& other : others) {
    if (!taken.contains(other.at("light"))) return look(other);
  }
  return look(others[taken.size() % others.size()]);
}

}  // namespace

std::vector<Look> looks_of(const std::vector<std::string>& names) {
  const auto palette = nlohmann::json::parse(palette_json());
  const auto& named = palette.at("named");
  const auto& others = palette.at("others");
  std::set<std::string> taken;
  for (const auto& name : names) {
    if (named.contains(name)) taken.insert(look(named.at(name)).colour);
  }
  std::vector<Look> looks;
  for (const auto& name : names) {
    looks.push_back(named.contains(name) ? look(named.at(name)) : free_look(others, taken));
    taken.insert(looks.back().colour);
  }
  return looks;
}

}  // namespace fedvs::report
