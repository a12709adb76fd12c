// Functions for one instruction set, in a build for any x86-64: only what carries these is compiled
// for it, so nothing inline leaks such code into other files.
#pragma once

#define FEDVS_AVX2 __attribute__((target("avx2")))
#define FEDVS_AVX2_INLINE FEDVS_AVX2 __attribute__((always_inline)) inline

// What Kernel::kVnni asks for (kernel.h).
#define FEDVS_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define FEDVS_AVX512_INLINE FEDVS_AVX512 __attribute__((always_inline)) inline

// And what product_m31_ifma.cc asks for besides.
#define FEDVS_IFMA \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512ifma")))
#define FEDVS_IFMA_INLINE FEDVS_IFMA __attribute__((always_inline)) inline
