// What the next step to all clients will carry (gradient, groups, change of rates), and whether the
// server has to be saved before it leaves: what was sent must not be contradicted after a restart.
#pragma once
#include <memory>

#include "fedvs/base/digest.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

struct Post {
  StepNumber sent = 0;                       // gradients
  Digest link{};                             // of them all: see Hello::chain
  std::shared_ptr<const Gradient> gradient;  // made, not broadcast yet
  double rate_factor = 1;                    // goes out with it
  std::shared_ptr<const Groups> groups;      // null: none yet
  bool save_due = false;                     // before anything else is sent
  bool unwritten = false;  // what was decided could not be written down, and is never sent
};

}  // namespace fedvs::protocol
