// That a person has compared the roster's fingerprint with the other clients: all that clients seal
// for each other rests on it, for the roster comes from the server. Given as a flag once, then
// noted in the client's folder (roster.confirmed).
#pragma once
#include <filesystem>
#include <string_view>

#include "fedvs/base/result.h"
#include "fedvs/deploy/roster.h"

namespace fedvs::deploy {

// `said`: a fingerprint as somebody read it out, in any grouping. kRefused if it is not the
// roster's, kBadJob if it is none.
Status check_fingerprint(const Roster& roster, std::string_view said);

// `said`: the fingerprint as somebody read it out, in any grouping; empty: none was given. kRefused
// if it is not the roster's, or if another roster was confirmed; kBadJob, with the roster's, if
// none was ever given. Whoever makes all keys in one place, for a trial, confirms them there.
Status confirm_roster(const std::filesystem::path& folder, const Roster& roster,
                      std::string_view said);

// A roster that came after one that was confirmed and differs from it in certificates alone, with
// the same keys, counts as confirmed as well.
Status carry_confirmation(const std::filesystem::path& folder, const Roster& before,
                          const Roster& after);

}  // namespace fedvs::deploy
