// `vafl`: every client walks its own batches with one upload outstanding; the server takes one step
// per arrival and answers with the gradient.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "fedvs/baselines/machines.h"

namespace fedvs::baselines {

class Arrivals {
 public:
  // rows(client, step): the samples of that batch.
  using RowCount = std::function<std::size_t(int client, std::uint64_t step)>;
  Arrivals(Machines& machines, RowCount rows);

  struct Arrival {
    int client;
    std::uint64_t step;  // of that client, from 0
    double arrived, learned;
  };
  // The next arrival that the server has learned from: one at a time, first come first served.
  Arrival next();

 private:
  void begin(int client, std::uint64_t step, std::size_t learned);
  void arrive(int client, std::uint64_t step, std::size_t rows);
  void finish(const Arrival& arrival, std::size_t rows);

  Machines& machines_;
  RowCount rows_;
  double server_free_at_ = 0;
  std::vector<Arrival> finished_;  // one at most
};

}  // namespace fedvs::baselines
