// One loop, several instruction sets: write it FEDVS_INLINE and call it from functions that carry a
// FEDVS_TARGET; the compiler makes vector code of each copy. Which one runs is the caller's choice.
#pragma once

#define FEDVS_INLINE inline __attribute__((always_inline))
#define FEDVS_TARGET_AVX2 __attribute__((target("avx2,bmi2,popcnt")))
#define FEDVS_TARGET_AVX512                                         \
  __attribute__((                                                   \
      target("avx2,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl," \
             "prefer-vector-width=512")))
