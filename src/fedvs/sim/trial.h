// One training under the virtual clock, whatever its method: what the program runs, records, saves
// and resumes.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "fedvs/base/result.h"

namespace fedvs::sim {

class Trial {
 public:
  virtual ~Trial() = default;

  // Until it is done, has failed, or `stop` says so after an event.
  virtual void run(const std::function<bool()>& stop) = 0;
  virtual bool done() const = 0;
  virtual Status status() const = 0;  // an error, or kStopped while there is more to do

  using Parts = std::map<std::string, std::string>;
  virtual Parts save() = 0;
  virtual Status restore(const Parts& parts) = 0;  // kCorrupt; only before it has run

  virtual int client_count() const = 0;
  virtual int epochs() const = 0;
  virtual std::uint64_t rounds_per_epoch() const = 0;
  // Virtual seconds since the first round; records carry times of the clock.
  virtual double training_seconds(double at) const = 0;
  virtual double training_ended() const = 0;    // a time of the clock
  virtual double setup_seconds() const = 0;     // of preparing the data
  virtual double bytes_per_client() const = 0;  // sent and received, evaluation not counted
  // What a round of `samples` takes that waits for all N embeddings, in plain split learning.
  virtual double wait_for_all(std::uint64_t round, std::size_t samples) const = 0;
};

}  // namespace fedvs::sim
