// Rounds of `wait` and `ignore`: every client embeds the round's batch, and the server closes the
// round with the first `needed` answers. No number is computed here, so a run that is resumed asks
// for its rounds again.
#pragma once
#include <cstdint>
#include <vector>

#include "fedvs/baselines/machines.h"

namespace fedvs::baselines {

class Rounds {
 public:
  Rounds(Machines& machines, int needed);

  struct Closed {
    std::vector<int> answered;  // in the order of their arrival
    double started, closed;     // closed: the server has learned
  };
  // The next round, of `rows` samples. Those who answered the last one first learn from it; the
  // others hear only that there is a new one, and drop what they had not sent yet.
  Closed run(std::size_t rows);

 private:
  void begin(int client, std::uint64_t round, std::size_t rows, std::size_t learned);
  void send(int client, std::uint64_t round, std::size_t rows);

  Machines& machines_;
  std::size_t needed_;
  std::uint64_t round_ = 0;  // that the server is at
  std::vector<std::uint64_t> round_of_client_;
  std::vector<int> answered_;
  std::size_t last_rows_ = 0;
  double now_ = 0;
};

}  // namespace fedvs::baselines
