// Protocol messages as bytes (proto/fedvs/v1/protocol.proto) and back.
// What arrives is believed in nothing: sizes are checked against the job before memory is taken for
// them, residues against their primes, numbers of clients, parts and pools against their ranges.
// Whether a message makes sense where it arrives is for protocol::check_form and the state
// machines.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "fedvs/base/result.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::wire {

// The bytes of shares and keys are as secret as these are: wipe what is not sent on (base/wipe.h).
// One allocation of the final size; no copy is left elsewhere.
std::string encode(const protocol::Message& message);

// kRefused, naming the kind of message, what is wrong with it and the numbers. Takes at most a
// small multiple of largest_message() in memory, whatever the bytes.
Result<protocol::MessagePtr> decode(const protocol::Agreement& agreement, std::string_view bytes);

// The most bytes that a message of this job takes, a little generously.
std::size_t largest_message(const protocol::Agreement& agreement);
// kBadJob where that is 1 GiB or more: such a job cannot run over a network.
Status check_message_sizes(const protocol::Agreement& agreement);

// A number for the kind of a message, the same in all versions: its field in Message. From 1 on.
std::uint32_t kind_of(const protocol::Message& message);
std::string kind_name(std::uint32_t kind);  // "model share"; "kind 99" for one that does not exist

}  // namespace fedvs::wire
