#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

Outgoing outgoing(int to, Channel channel, std::size_t bytes, MessagePtr message) {
  return {.to = to,
          .channel = channel,
          .bytes = bytes,
          .make = [message = std::move(message)] { return message; },
          .wanted = {}};
}

Task send_now(Outgoing message) {
  return {
      .run = [message = std::move(message)] { return Effects{.sends = {message}, .tasks = {}}; }};
}

void append(Tasks& tasks, Tasks more) {
  for (auto& task : more) tasks.push_back(std::move(task));
}

}  // namespace fedvs::protocol
