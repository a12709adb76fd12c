#include "fedvs/protocol/plan_content.h"

namespace fedvs::protocol {

Digest content_of(const Step& step, const RunFacts& facts) {
  Hasher hasher;
  hasher.add("fedvs header 2").add(facts.run).add(header_of(step));
  hasher.add_u64(facts.sharings.size());
  for (const auto& sharing : facts.sharings) hasher.add(sharing.bytes);
  hasher.add_u64(facts.seeds.size());
  for (const auto& list : facts.seeds) hasher.add(list);
  return hasher.finish();
}

Digest upload_tag(const Digest& content) {
  return Hasher().add("fedvs upload tag 1").add(content).finish();
}

}  // namespace fedvs::protocol
