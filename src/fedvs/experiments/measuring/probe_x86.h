// The loops behind the probes: each needs its instruction set. kProbeProducts independent sums per
// step hide the latency; a step of AMX is a 2 x 2 block of tiles, loaded and multiplied.
#pragma once

namespace fedvs::measuring {

inline constexpr int kProbeProducts = 12;

void probe_vpdpbusd(long steps);
void probe_vpmaddwd(long steps);
void probe_vpmuludq_512(long steps);
void probe_vpmuludq_256(long steps);
void probe_tdpbuud(long steps);

}  // namespace fedvs::measuring
