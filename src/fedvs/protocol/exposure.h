// What exact sums tell of a row, whatever the masks: a ratio that everybody can compute. The only
// place that does.                                                          docs/privacy.md
//   exposure = h x (openings of a row) / (raw features of the honest clients),
// the largest over the sets of clients whose sums the server may tell apart: all clients, and each
// group where there are several. Honest: all of the set but the T with the most features.
// Below the limit is necessary, not sufficient: every place that shows it says so.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "fedvs/job/job.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/plan.h"

namespace fedvs::protocol {

inline constexpr double kExposureLimit = 0.2;  // from here on parties are warned

struct Exposure {
  std::size_t width = 0, openings = 0;  // of a row: h, and how often it is opened
  std::size_t honest = 0;               // raw features of all honest clients
  std::size_t honest_in_group = 0;      // of the group that fares worst; one group: as above
  bool groups_known = false;            // or the narrowest that could be formed

  double of_all() const;
  double of_group() const;
  double largest() const;  // what "exposure" means
  bool above_limit() const { return largest() >= kExposureLimit; }
  // "exposure 8.57, ...": one line, with the caveat.
  std::string text() const;
};

// Groups are formed after warm-up; without them, the worst that may come: the T + 2 clients with
// the fewest features.
Exposure exposure_of(const Agreement& agreement, const Groups* groups = nullptr);

// Before anybody knows how many columns the others have: how many the honest ones of the worst set
// need for an exposure below the limit, as a sentence.
std::string exposure_before_columns(const Job& job, int clients);

// Clients form one group: whenever one is away, nobody learns.
inline bool one_group(int clients, int colluding) { return clients < 2 * (colluding + 2); }

}  // namespace fedvs::protocol
