// A line of stderr that is written over on a terminal, and now and then a line elsewhere.
#pragma once
#include <chrono>
#include <string>

namespace fedvs::run {

class LiveLine {
 public:
  // Elsewhere than on a terminal, at most one line per `plain_pause` seconds.
  LiveLine(bool quiet, double plain_pause);
  ~LiveLine();

  bool terminal() const { return terminal_; }
  // Whether show() would write now; so that nobody makes a text that is not shown.
  bool due() const;
  void show(const std::string& text);
  void line(const std::string& text);  // one that stays
  void restart();                      // the first line is due after a pause from now

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_, terminal_, open_ = false;
  double pause_;
  Clock::time_point shown_ = Clock::now();
};

}  // namespace fedvs::run
