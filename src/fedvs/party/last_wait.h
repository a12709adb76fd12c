// Until when the server stays after the end of a run for clients that are connected and have not
// saved their last model. It stays longer when one has, when one that catches up has got further
// than ever before, and while a hello has to wait; in all no longer than `most`, whatever clients
// send. Not thread-safe, and knows no clock.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>

namespace fedvs::party {

class LastWait {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  // So many steps further, or a client could take one at a time.
  static constexpr std::uint64_t kStride = 32;

  LastWait(Time now, Duration each, Duration most, std::size_t unsaved)
      : each_(each), until_(now + each), latest_(now + most), unsaved_(unsaved) {}

  void note_unsaved(Time now, std::size_t unsaved) {
    if (unsaved >= unsaved_) return;
    unsaved_ = unsaved;
    stay(now);
  }
  void note_fetched(Time now, int client, std::uint64_t steps) {
    const auto [furthest, first] = furthest_.try_emplace(client, steps);
    if (!first && steps < furthest->second + kStride) return;
    furthest->second = steps;
    stay(now);
  }
  void note_hello(Time now) { stay(now); }  // of one that came back so often that it has to wait
  Time until() const { return until_; }

 private:
  void stay(Time now) { until_ = std::min(now + each_, latest_); }
  Duration each_;
  Time until_, latest_;
  std::size_t unsaved_;
  std::map<int, std::uint64_t> furthest_;  // by client that was behind
};

}  // namespace fedvs::party
