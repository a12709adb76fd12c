// Names of clients: they name folders and files, stand in certificates and in people's mouths.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/result.h"

namespace fedvs::deploy {

// 1 to 64 letters, digits, '.', '_' and '-', beginning with a letter or digit; not "server" nor
// "invitations". kBadJob.
Status check_name(std::string_view name);
// Each of them, at least one, and no two that differ in case only.
Status check_names(const std::vector<std::string>& names);
std::vector<std::string> numbered_names(int clients);  // "client-1", ...

}  // namespace fedvs::deploy
