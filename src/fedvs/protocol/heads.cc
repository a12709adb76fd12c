#include "fedvs/protocol/heads.h"

#include <fmt/format.h>

#include "fedvs/base/bytes.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {
namespace {

std::string_view text_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

Digest first_link(const Digest& run) { return Hasher().add("fedvs heads 1").add(run).finish(); }

Digest link_after(const Digest& link, std::uint64_t index, const Digest& content) {
  return Hasher().add(link).add_u64(index).add(content).finish();
}

std::string signed_text(const Digest& run, std::uint64_t index, const Digest& link) {
  ByteWriter out;
  out.raw("fedvs head 1");
  out.raw(text_of(run));
  out.number(index);
  out.raw(text_of(link));
  return out.take();
}

Status check(const Equivocation& proof, const VerifyHead& verify) {
  const auto no = [](std::string why) { return Error{ErrorCode::kRefused, std::move(why)}; };
  if (proof.own_link == proof.other.link) return no("both are the same chain");
  Digest link = proof.own_link;
  std::uint64_t index = proof.other.index;
  for (const auto& content : proof.contents) link = link_after(link, ++index, content);
  if (index != proof.own.index || link != proof.own.link) {
    return no("the contents do not lead from one head to the other");
  }
  for (const auto* head : {&proof.own, &proof.other}) {
    if (verify(signed_text(proof.run, head->index, head->link), head->signature)) continue;
    return no(fmt::format("the signature of head {} is not this server's", head->index));
  }
  return {};
}

Step missed_form(const Step& step) {
  Step kept = step;
  kept.gradient = nullptr;
  kept.share.assign(kept.share.size(), false);
  kept.rate_factor = 1;
  kept.head.reset();
  return kept;
}

}  // namespace fedvs::protocol
