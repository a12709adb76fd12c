// Functions for one instruction set, in a build for any x86-64: only what carries a FEDVS_TARGET is
// compiled for it, so nothing inline leaks such code into other files. Which one runs is the
// caller's choice (field/kernel.h). Two ways to use them:
//   one loop, several instruction sets   write it FEDVS_INLINE and call it from functions that
//   carry
//                                        a target; the compiler makes vector code of each copy
//   one function per instruction set     its helpers are FEDVS_TARGET_... FEDVS_INLINE
#pragma once

#define FEDVS_INLINE inline __attribute__((always_inline))
#define FEDVS_TARGET_AVX2 __attribute__((target("avx2,bmi2,popcnt")))
#define FEDVS_TARGET_AVX512                                         \
  __attribute__((                                                   \
      target("avx2,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl," \
             "prefer-vector-width=512")))
// What Kernel::kVnni asks for, and what single functions ask for besides.
#define FEDVS_TARGET_VNNI __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")))
#define FEDVS_TARGET_IFMA \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512ifma")))
#define FEDVS_TARGET_VBMI2 __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi,bmi2,popcnt")))
