#include "fedvs/experiments/measuring/probe.h"

#include "fedvs/experiments/measuring/probe_x86.h"

namespace fedvs::measuring {

using field::Kernel;

// A step of the vector probes is kProbeProducts instructions; four byte planes make one ring.
std::optional<Probe> rns4_probe(Kernel kernel) {
  switch (kernel) {
    case Kernel::kAmx:
      return Probe{"tdpbuud", 4 * 16 * 16 * 64 / 4.0, probe_tdpbuud};
    case Kernel::kVnni:
      return Probe{"vpdpbusd zmm", kProbeProducts * 64 / 4.0, probe_vpdpbusd};
    case Kernel::kAvx2:
      return Probe{"vpmaddwd ymm", kProbeProducts * 16 / 4.0, probe_vpmaddwd};
    default:
      return std::nullopt;
  }
}

std::optional<Probe> m31_probe(Kernel kernel) {
  switch (kernel) {
    case Kernel::kAmx:
    case Kernel::kVnni:
      return Probe{"vpmuludq zmm", kProbeProducts * 8.0, probe_vpmuludq_512};
    case Kernel::kAvx2:
      return Probe{"vpmuludq ymm", kProbeProducts * 4.0, probe_vpmuludq_256};
    default:
      return std::nullopt;
  }
}

}  // namespace fedvs::measuring
