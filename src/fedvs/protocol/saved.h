// Durable state as messages of proto/fedvs/v1/*state.proto: what all that save something share.
// Generated headers are seen by saved*.cc alone; templates here are instantiated there.
// docs/design/durable-state.md
#pragma once
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/bytes.h"
#include "fedvs/base/result.h"
#include "fedvs/protocol/plan.h"

namespace fedvs::v1 {
class SavedGroup;
class SavedGroups;
class SavedPlan;
class SavedVersions;
}  // namespace fedvs::v1

namespace fedvs::protocol {

inline constexpr std::uint32_t kSavedVersion = 1;  // of every message with a version

// ---- whole messages
Error corrupt(std::string_view what, std::string_view why);  // kCorrupt
// kBadFile, which nobody takes for damage and sets aside.
Status check_saved_version(std::string_view what, std::uint32_t version);

template <class Message>
std::string packed(Message& message) {
  message.set_version(kSavedVersion);
  std::string bytes;  // grows once: no copies are left behind
  FEDVS_CHECK(message.SerializeToString(&bytes), "what is saved at once is shorter than 2 GiB");
  return bytes;
}

// `what`, for people: the file. kCorrupt if the bytes are no such message, kBadFile if they are of
// another version.
// Whatever they are, no more memory is taken than they have bytes, within a small factor.
template <class Message>
Status unpack(std::string_view what, std::string_view bytes, Message& message) {
  const bool fits = bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (!fits || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return corrupt(what, "is damaged, or of a release of FedVS before it had format versions");
  }
  return check_saved_version(what, message.version());
}

// ---- fields that are bytes
Status copy_exactly(std::string_view what, std::string_view from, std::span<std::uint8_t> to);

template <PlainNumber T>
std::string_view bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}
template <PlainNumber T>
Result<std::vector<T>> numbers_of(std::string_view what, std::string_view bytes) {
  if (bytes.size() % sizeof(T) != 0) return corrupt(what, "ends within a number");
  std::vector<T> numbers(bytes.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

// ---- what messages of both sides have. kCorrupt where it is not of so many clients, or of this
// job.
using NamedVersions = std::vector<std::optional<Version>>;  // per client
void save(const NamedVersions& versions, v1::SavedVersions& to);
Result<NamedVersions> restored(const v1::SavedVersions& from, int parties);
void save(const Plan& plan, v1::SavedPlan& to);
Result<Plan> restored(const Agreement& agreement, const v1::SavedPlan& from);
void save(const std::vector<int>& group, v1::SavedGroup& to);
Result<std::vector<int>> restored(const v1::SavedGroup& from, int parties);
void save(const Groups& groups, v1::SavedGroups& to);
Result<Groups> restored(const v1::SavedGroups& from, int parties);

}  // namespace fedvs::protocol
