// What parts of a job's messages measure at most. The state machines then ask for exact sizes; here
// it matters that nobody makes another party take memory or time that the job does not call for.
#pragma once
#include <cstddef>
#include <cstdint>

#include "fedvs/protocol/agreement.h"

namespace fedvs::wire {

inline constexpr std::size_t kReasonBytes = 4096;    // of refusals and farewells
inline constexpr std::size_t kSignatureBytes = 128;  // of a life's card
inline constexpr std::size_t kComplaintBytes = 512;

struct Extent {
  std::uint64_t rows, cols;
};

Extent largest_data_share(const protocol::Agreement& agreement, int from);
Extent largest_model_share(const protocol::Agreement& agreement, int from);
Extent largest_batch(const protocol::Agreement& agreement);  // of an upload
std::size_t largest_gradient(const protocol::Agreement& agreement, std::size_t rows);  // values
std::size_t largest_seeds(const protocol::Agreement& agreement);                       // bytes
std::size_t largest_head(const protocol::Agreement& agreement);                        // bytes

}  // namespace fedvs::wire
