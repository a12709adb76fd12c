// How `fedvs up` comes to its end: in order, and within a bound.
#pragma once
#include <optional>

namespace fedvs::cli {

// The server is asked first, because it finishes the round under way and needs its clients for
// that; then all; whoever is still there after that is killed.
class Ending {
 public:
  enum class Order { kNone, kAskServer, kAskAll, kKillAll };

  static constexpr double kServerSeconds = 60;    // to finish its round and save
  static constexpr double kFarewellSeconds = 60;  // for clients to hear that the run is over
  static constexpr double kLeaveSeconds = 30;     // to save and leave once asked

  // What is to be done now. Seconds from any fixed moment, never fewer than before; stop signals so
  // far; the server's exit status once it has one. An order comes once, except that the last one is
  // repeated.
  Order next(double now, int stop_signals, std::optional<int> server_status);

 private:
  enum class Stage { kRunning, kServerLeaves, kFarewell, kAllLeave, kKilled };
  Order go(Stage stage, double deadline, Order order);
  Stage stage_ = Stage::kRunning;
  double deadline_ = 0;
};

}  // namespace fedvs::cli
