// Every party that begins a run is told what it exposes.
#pragma once
#include "fedvs/base/log.h"
#include "fedvs/protocol/exposure.h"

namespace fedvs::party {

inline void log_exposure(const protocol::Exposure& exposure) {
  if (exposure.above_limit()) {
    log::warning("{}", exposure.text());
  } else {
    log::info("{}", exposure.text());
  }
}

}  // namespace fedvs::party
