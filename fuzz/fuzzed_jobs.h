// The jobs whose messages are fuzzed: the first byte of an input chooses one.
#pragma once
#include <vector>

#include "tests/support/wire_samples.h"

namespace fedvs::fuzz {

inline const std::vector<protocol::Agreement>& jobs() {
  static const std::vector<protocol::Agreement> all = {
      testing::wire_agreement("rns4"),
      testing::wire_agreement("m31"),
      testing::wire_agreement("rns8", 5, 1, {"model.width=17", "train.batch_size=2"}),
  };
  return all;
}

}  // namespace fedvs::fuzz
