#include "fedvs/protocol/client/postponed.h"

#include <algorithm>

#include "fedvs/protocol/sender.h"

namespace fedvs::protocol {
namespace {

constexpr std::ptrdiff_t kKeptForWelcome = 64;
constexpr std::ptrdiff_t kEarlyKept = 4;

auto is_from(int sender) {
  return [sender](const MessagePtr& message) { return sender_of(*message) == sender; };
}

}  // namespace

void Postponed::keep_for_welcome(const MessagePtr& message) {
  const auto of_sender = std::ranges::count_if(for_welcome_, is_from(sender_of(*message)));
  if (!apart_ || of_sender < kKeptForWelcome) for_welcome_.push_back(message);
}

void Postponed::keep_early(const MessagePtr& model) {
  early_.push_back(model);
  if (!apart_) return;
  const auto same_sender = is_from(sender_of(*model));
  if (std::ranges::count_if(early_, same_sender) <= kEarlyKept) return;
  early_.erase(std::ranges::find_if(early_, same_sender));  // they come in the order of their steps
}

}  // namespace fedvs::protocol
