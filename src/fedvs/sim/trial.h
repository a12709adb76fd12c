// One training under the virtual clock, whatever its method: what the program runs, records, saves
// and resumes.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/protocol/server/records.h"

namespace fedvs::sim {

class Trial : public protocol::RunView {
 public:
  // Until it is done, has failed, or `stop` says so after an event.
  virtual void run(const std::function<bool()>& stop) = 0;
  virtual bool done() const = 0;
  virtual Status status() const = 0;  // an error, or kStopped while there is more to do

  using Parts = std::map<std::string, std::string>;
  virtual Parts save() = 0;
  virtual Status restore(const Parts& parts) = 0;  // kCorrupt; only before it has run

  virtual double training_ended() const = 0;  // a time of the virtual clock
  virtual double setup_seconds() const = 0;   // of preparing the data
};

}  // namespace fedvs::sim
