// From the server's terms to what every party computes alike from them.
#pragma once
#include "fedvs/deploy/roster.h"
#include "fedvs/job/job.h"
#include "fedvs/net/wire/envelope.h"
#include "fedvs/protocol/agreement.h"

namespace fedvs::party {

// Also logs what the run exposes: every party that begins one is told.
Result<protocol::Agreement> agree_on(const Job& job, const deploy::Roster& roster,
                                     const wire::Terms& terms);

}  // namespace fedvs::party
