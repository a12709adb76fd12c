// d of a plan in the chain of plans: two plans that would have clients do different things, with
// the same or with other shares of rows, have different ones.
#pragma once
#include <span>

#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

// `sharings`: per client, as the last welcome names them.
Digest header_of(const Step& step, std::span<const SharingId> sharings);

}  // namespace fedvs::protocol
