#include "fedvs/net/transport/limits.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

namespace fedvs::transport {
namespace {

Error bad(std::string message) { return {ErrorCode::kBadJob, std::move(message)}; }

}  // namespace

Status check(const Limits& limits) {
  const std::initializer_list<std::pair<const char*, Duration>> durations = {
      {"heartbeat", limits.heartbeat},           {"silent_after", limits.silent_after},
      {"connect_within", limits.connect_within}, {"goodbye_within", limits.goodbye_within},
      {"first_retry", limits.first_retry},       {"last_retry", limits.last_retry},
      {"refused_retry", limits.refused_retry}};
  for (const auto& [name, value] : durations) {
    if (value <= Duration::zero()) {
      return bad(fmt::format("{} is {} ms: it must be positive", name, value.count()));
    }
  }
  if (limits.queue_bytes == 0) return bad("queue_bytes is 0: nothing could be sent");
  if (limits.heartbeat >= limits.silent_after) {
    return bad(
        fmt::format("heartbeats every {} ms and peers taken for gone after {} ms: the "
                    "first must be shorter than the second",
                    limits.heartbeat.count(), limits.silent_after.count()));
  }
  if (limits.first_retry > limits.last_retry) {
    return bad(fmt::format("first_retry of {} ms is longer than last_retry of {} ms",
                           limits.first_retry.count(), limits.last_retry.count()));
  }
  return {};
}

}  // namespace fedvs::transport
