#include "fedvs/net/seal/replay_guard.h"

#include <fmt/format.h>

namespace fedvs::seal {

Status ReplayGuard::admit(const Binding& opened) {
  const auto [place, first] =
      last_.try_emplace({opened.from, opened.from_life, opened.kind}, opened.id);
  if (first) return {};
  if (opened.id <= place->second) {
    return Error{ErrorCode::kRefused,
                 fmt::format("client {} sent message {} (kind {}) again or too late: {} has "
                             "arrived already",
                             opened.from + 1, opened.id, opened.kind, place->second)};
  }
  place->second = opened.id;
  return {};
}

}  // namespace fedvs::seal
