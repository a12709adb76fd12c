// What one party hands to the transport for another (proto/fedvs/v1/party.proto): who a client is,
// what all agree on, protocol messages that the server may read, and sealed ones that it may not.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"

namespace fedvs::wire {

inline constexpr std::uint32_t kProtocolVersion = 3;

struct Introduction {  // client -> server, first of all
  std::uint32_t protocol_version = kProtocolVersion;
  Digest job_digest{}, roster_digest{};
  std::string name;  // as in the roster
  std::uint32_t features = 0;
  std::uint64_t rows = 0;
  Digest data_id{};  // the same while its data is the same
  bool operator==(const Introduction&) const = default;
};
// Whether a client's file is of the server's rows: asked before anything is noted or shared. The
// client compares, so that the server learns nothing of ids that are not its own.
struct RowsOffer {  // server -> client
  Digest row_ids{};
  std::uint64_t total_rows = 0;
  bool scores = false;  // it is there to score rows, not to train
  bool operator==(const RowsOffer&) const = default;
};
struct RowsAnswer {  // client -> server
  bool same = false;
  bool operator==(const RowsAnswer&) const = default;
};
struct Terms {  // server -> client: with the job, what protocol::agree needs
  std::vector<std::uint32_t> features;  // per client
  std::array<std::uint64_t, 3> rows{};  // train, validation, test
  std::uint32_t classes = 0;
  std::array<std::uint8_t, 16> run_id{};
  Digest row_ids{};
  std::uint64_t total_rows = 0;
  std::vector<std::uint64_t> versions =
      {};  // where a trained model scores rows: its step, per client
  bool operator==(const Terms&) const = default;
};
struct OpenMessage {  // client <-> server
  std::string bytes;  // wire::encode
  bool operator==(const OpenMessage&) const = default;
};
struct Sealed {  // client -> client. All but `sealed` is known to the server, which relays it.
  int from = 0, to = 0;
  std::uint32_t kind = 0;  // wire::kind_of
  std::uint64_t id = 0, position = 0;
  std::string sealed;
  bool operator==(const Sealed&) const = default;
};
using Envelope = std::variant<Introduction, RowsOffer, RowsAnswer, Terms, OpenMessage, Sealed>;

struct EnvelopeLimits {
  int parties;           // of the job
  std::size_t contents;  // bytes of a message, sealed or not; 0 before there is an agreement
};
inline constexpr std::size_t kSealingBytes = 256;  // that sealing may add to a message
inline constexpr std::size_t kNameBytes = 128;
inline constexpr std::uint32_t kMostFeatures = 1u << 24, kMostClasses = 1u << 20;
inline constexpr std::uint64_t kMostRows = std::uint64_t{1} << 40;

// Takes it over, so that its bytes are copied once.
std::string encode(Envelope&& envelope);
inline std::string encode(const Envelope& envelope) { return encode(Envelope(envelope)); }
// kRefused, with the numbers: another version, a size or number out of range, lists of another
// length than there are clients, sender and recipient the same.
Result<Envelope> decode_envelope(const EnvelopeLimits& limits, std::string_view bytes);
std::size_t largest_envelope(const EnvelopeLimits& limits);

}  // namespace fedvs::wire
