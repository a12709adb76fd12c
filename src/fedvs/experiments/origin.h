// Which builds on which machines the runs of a page come from.
#pragma once
#include <compare>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fedvs/report/report.h"

namespace fedvs::experiments {

struct Origin {  // of a run: the program that ended it. Empty: unknown
  std::string commit, machine;
  auto operator<=>(const Origin&) const = default;
};
using Origins = std::map<std::string, Origin>;  // by run

Origin origin_of(const nlohmann::json& result);  // of `fedvs train`
// A line for the top of a page, beside the program that made it; empty unless they are a mixture.
std::string mixture_of(const Origins& origins);
report::Section origin_section(const Origins& origins);

}  // namespace fedvs::experiments
