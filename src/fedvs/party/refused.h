// A client that has refused on grounds of privacy takes part no more, whoever starts it again,
// until its operator says so: refused.json in its folder.
#pragma once
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>

#include "fedvs/base/result.h"

namespace fedvs::party {

struct RefusedFor {
  std::string reason;
  std::uint64_t revision = 0;
  std::time_t at = 0;
  std::string evidence = {};  // file; empty: there is none
};
// On the disk when it returns.
Status note_refused(const std::filesystem::path& folder, const RefusedFor& refused);
// kRefused, saying why and what to do, if there is a note. `again`: the operator's word; the note
// is renamed to refused-<when>.json, and all goes on.
Status check_refused(const std::filesystem::path& folder, bool again);

}  // namespace fedvs::party
