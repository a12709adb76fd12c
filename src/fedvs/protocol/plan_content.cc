#include "fedvs/protocol/plan_content.h"

namespace fedvs::protocol {
namespace {

void add_flags(Hasher& hasher, const std::vector<bool>& flags) {
  hasher.add_u64(flags.size());
  for (const bool flag : flags) hasher.add_u64(flag ? 1 : 0);
}

// Of all that the step itself says: two steps that would have clients act differently have
// different ones.
Digest step_digest(const Step& step) {
  FEDVS_CHECK(step.plan != nullptr, "a step with a plan");
  Hasher hasher;
  hasher.add("fedvs plan 1").add(plan_digest(*step.plan));
  hasher.add_u64(step.groups ? 1 + step.groups->size() : 0);
  for (std::size_t g = 0; step.groups && g < step.groups->size(); ++g) {
    const auto& members = (*step.groups)[g];
    hasher.add_u64(members.size());
    for (const int member : members) hasher.add_u64(static_cast<std::uint64_t>(member));
  }
  add_flags(hasher, step.frozen);
  add_flags(hasher, step.released);
  return hasher.finish();
}

}  // namespace

Digest content_of(const Step& step, const RunFacts& facts) {
  Hasher hasher;
  hasher.add("fedvs header 2").add(facts.run).add(step_digest(step));
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
