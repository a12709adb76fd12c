#include "fedvs/party/unopened_post.h"

#include <algorithm>

namespace fedvs::party {

void UnopenedPost::keep(wire::Sealed&& sealed) {
  const auto of_sender = [&](const wire::Sealed& other) { return other.from == sealed.from; };
  std::size_t count = 1, bytes = sealed.sealed.size();  // of this sender
  for (const auto& other : kept_) {
    if (!of_sender(other)) continue;
    ++count;
    bytes += other.sealed.size();
  }
  const std::size_t most = std::max(kMost / clients_, kFewest);
  while (count > 1 && (count > most || bytes > kMostBytes / clients_)) {
    const auto oldest = std::ranges::find_if(kept_, of_sender);
    --count;
    bytes -= oldest->sealed.size();
    kept_.erase(oldest);
  }
  kept_.push_back(std::move(sealed));
}

}  // namespace fedvs::party
