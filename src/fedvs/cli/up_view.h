// What `fedvs up` shows, on stderr: the server's words as they come, who has ended and, on a
// terminal, a table of all parties.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "fedvs/cli/live_table.h"
#include "fedvs/cli/tail.h"
#include "fedvs/cli/up_parties.h"

namespace fedvs::cli {

class UpView {
 public:
  UpView(const UpFolder& folder, bool quiet);  // quiet: nothing at all
  void begin(Parties& parties);                // before the first show()
  void show(Parties& parties);                 // as often as one likes
  void say(const std::string& text);           // a line of stderr that stays

 private:
  void pass_on_words();
  void tell_ended(Party& party, bool others_go_on);
  std::string row_of(Party& party) const;

  using Clock = std::chrono::steady_clock;
  const UpFolder& folder_;
  bool quiet_;
  Tail words_;
  LiveTable table_;
  std::vector<bool> told_;  // that it has ended; by party
  std::string last_words_;
  Clock::time_point started_ = Clock::now();
};

}  // namespace fedvs::cli
