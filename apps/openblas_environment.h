// What OpenBLAS and OpenMP read while they are loaded; so it is set by a process that then becomes
// another one. For the launcher, and for tests that must compute as the program does.
#pragma once
#include <cstdlib>

namespace fedvs {

// Departs from OpenBLAS's own choice: 0.3.21 takes CPUs newer than itself for "Prescott", which
// makes matrix products 3 to 10 times slower.
inline const char* openblas_core() {
  __builtin_cpu_init();
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (avx512) return "SkylakeX";
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell" : nullptr;
}

inline void set_openblas_environment() {
  constexpr int kKeepTheUsers = 0;
  if (const char* core = openblas_core()) setenv("OPENBLAS_CORETYPE", core, kKeepTheUsers);
  // Our own threads do the work; a second one inside libtorch makes it slower. For the same reason
  // OMP_WAIT_POLICY is left alone: "passive" costs more than it saves.
  setenv("OPENBLAS_NUM_THREADS", "1", kKeepTheUsers);
  setenv("OMP_NUM_THREADS", "1", kKeepTheUsers);
}

}  // namespace fedvs
