// The plan that was sent last, the uploads that have come for it, and what keeps the server from
// opening it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/protocol/server/records.h"
#include "fedvs/protocol/server/upload_box.h"
#include "fedvs/protocol/timer.h"

namespace fedvs::protocol {

// The uploads of the plan contradict each other, and more are waited for.
struct Doubt {
  Error contradiction;
  double since;
  int uploads;  // how many there were
};

// Wrong uploads that come late, or that nobody could be found out for.
struct Suspicion {
  int rounds = 0;              // so many more are opened with uploads to spare
  std::string central_before;  // the central model before the last round was learned
  std::optional<std::uint64_t> learned_round;
};

struct OpenRound {
  OpenRound(const Agreement& agreement, const coding::LagrangeCode& code) : box(agreement, code) {}

  std::shared_ptr<const Plan> plan;  // null: none was sent yet
  std::vector<bool> frozen;          // what clients are told of the versions that the plan names
  bool is_open = false;              // it has been sent and not been opened yet
  bool died_since = false;           // somebody is no longer counted on since it was made
  bool said_heads = false;           // that clients wait for heads
  Timer able;                        // R clients could upload
  Timer holders;  // R uploads are there, but too few others hold some sender's new model
  std::optional<Doubt> doubt;
  UploadBox box;
  Suspicion suspicion;

  // ---- of the round that the plan belongs to
  RoundRecord record;
  double started = 0;
  double vain_wait = 0;  // seconds, for groups that it then left out
};

}  // namespace fedvs::protocol
