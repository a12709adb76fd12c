#include "fedvs/protocol/server/phase.h"

#include <fmt/format.h>

#include <array>
#include <initializer_list>

#include "fedvs/base/check.h"

namespace fedvs::protocol {
namespace {

// Per phase: a bit for each phase that may follow.
using Followers = std::array<unsigned, kPhases>;

constexpr unsigned bit(Phase phase) { return 1U << static_cast<unsigned>(phase); }

constexpr unsigned any_of(std::initializer_list<Phase> phases) {
  unsigned bits = 0;
  for (const Phase phase : phases) bits |= bit(phase);
  return bits;
}

constexpr Followers followers() {
  using enum Phase;
  return {any_of({kPreparing, kReturning}),
          any_of({kGathering, kWaiting}),
          any_of({kWaiting, kDone}),
          any_of({kWaiting}),
          any_of({kWaiting, kOpening, kCollecting, kStandingBy, kDone}),
          any_of({kWaiting, kCollecting, kStandingBy, kDone}),
          any_of({kStandingBy, kWaiting, kCollecting}),
          0};
}

constexpr Followers kFollowers = followers();

}  // namespace

std::string_view name_of(Phase phase) {
  constexpr std::array<std::string_view, kPhases> kNames{"Gathering",  "Preparing", "Returning",
                                                         "Collecting", "Waiting",   "Opening",
                                                         "StandingBy", "Done"};
  return kNames[static_cast<std::size_t>(phase)];
}

bool may_follow(Phase before, Phase next) {
  return (kFollowers[static_cast<std::size_t>(before)] & bit(next)) != 0;
}

void ServerPhase::enter(Phase next) {
  FEDVS_CHECK(may_follow(phase_, next),
              fmt::format("a server that is {} cannot be {} next", name_of(phase_), name_of(next)));
  phase_ = next;
}

}  // namespace fedvs::protocol
