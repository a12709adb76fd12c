#include "fedvs/sim/parts.h"

#include <fmt/format.h>

namespace fedvs::sim {

Result<std::string> find_part(const Trial::Parts& parts, const std::string& name) {
  if (const auto found = parts.find(name); found != parts.end()) return found->second;
  return Error{ErrorCode::kCorrupt, fmt::format("the checkpoint lacks its part \"{}\"", name)};
}

}  // namespace fedvs::sim
