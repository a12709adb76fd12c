#include "fedvs/protocol/plan_header.h"

namespace fedvs::protocol {

Digest header_of(const Step& step, std::span<const SharingId> sharings) {
  Hasher hasher;
  hasher.add("fedvs header 1").add(header_of(step)).add_u64(sharings.size());
  for (const auto& sharing : sharings) hasher.add(sharing.bytes);
  return hasher.finish();
}

}  // namespace fedvs::protocol
