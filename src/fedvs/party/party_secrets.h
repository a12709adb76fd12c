// Where a networked party's secret randomness comes from. Which of two libraries defines these is
// decided when a program is linked: fedvs::party_secrets, which knows the operating system's only,
// or, for tests of whole runs alone, one that takes the job's seed. No setting switches between
// them.
#pragma once
#include <cstdint>
#include <memory>

#include "fedvs/base/prng.h"
#include "fedvs/job/job.h"
#include "fedvs/net/seal/keys.h"

namespace fedvs::party {

// What must be the same bytes when it is made again after a restart is keyed: the masks of data
// shares by `mask_key`, which belongs to one sharing; the rounding of a step, initial weights and
// the key for comparing rows by `run_key`, which belongs to one run. Everything else is fresh.
std::unique_ptr<SecretSource> client_secrets(const seal::SecretKey& run_key,
                                             const seal::SecretKey& mask_key, const Job& job);
std::unique_ptr<SecretSource> server_secrets(const Job& job);
// Of batches' order and of the central model: drawn once per run, then kept in its folder.
std::uint64_t draw_run_seed(const Job& job);

}  // namespace fedvs::party
