#include "fedvs/cli/up_ending.h"

namespace fedvs::cli {

Ending::Order Ending::go(Stage stage, double deadline, Order order) {
  stage_ = stage;
  deadline_ = deadline;
  return order;
}

Ending::Order Ending::next(double now, int stop_signals, std::optional<int> server_status) {
  if (stop_signals > 1) return go(Stage::kKilled, now, Order::kKillAll);
  const bool due = now >= deadline_;
  switch (stage_) {
    case Stage::kRunning:
      if (server_status == 0) return go(Stage::kFarewell, now + kFarewellSeconds, Order::kNone);
      if (server_status) return go(Stage::kAllLeave, now + kLeaveSeconds, Order::kAskAll);
      if (stop_signals == 0) return Order::kNone;
      return go(Stage::kServerLeaves, now + kServerSeconds, Order::kAskServer);
    case Stage::kServerLeaves:
      if (!server_status && !due) return Order::kNone;
      return go(Stage::kAllLeave, now + kLeaveSeconds, Order::kAskAll);
    case Stage::kFarewell:
      if (stop_signals == 0 && !due) return Order::kNone;
      return go(Stage::kAllLeave, now + kLeaveSeconds, Order::kAskAll);
    case Stage::kAllLeave:
      return due ? go(Stage::kKilled, now, Order::kKillAll) : Order::kNone;
    case Stage::kKilled:
      return Order::kKillAll;
  }
  return Order::kNone;
}

}  // namespace fedvs::cli
