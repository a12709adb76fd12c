#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

DraftPtr draft_of(MessagePtr message) {
  return draft([message = std::move(message)](int) { return message; });
}

Outgoing outgoing(int to, Lane lane, std::size_t bytes, MessagePtr message) {
  return {.to = to, .lane = lane, .bytes = bytes, .draft = draft_of(std::move(message))};
}

Task send_now(Outgoing message) {
  return {
      .run = [message = std::move(message)] { return Effects{.sends = {message}, .tasks = {}}; }};
}

void append(Tasks& tasks, Tasks more) {
  for (auto& task : more) tasks.push_back(std::move(task));
}

}  // namespace fedvs::protocol
