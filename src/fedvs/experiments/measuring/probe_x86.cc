// In assembly, so that no compiler option decides what is measured.
#include "fedvs/experiments/measuring/probe_x86.h"

#include <cstdint>

namespace fedvs::measuring {
namespace {

struct alignas(64) RandomBytes {
  std::uint8_t bytes[4096];
  RandomBytes() {
    std::uint32_t state = 7;
    for (auto& byte : bytes) {
      state = state * 1664525u + 1013904223u;
      byte = static_cast<std::uint8_t>(state >> 24);
    }
  }
};

// Twelve results in registers 0 .. 11, factors in 14 and 15. Of the four instructions only vpdpbusd
// adds; the additions that the others need are left out.
#define FEDVS_PROBE_LOOP(load, registers, product)                                             \
  static const RandomBytes random;                                                             \
  asm volatile(load " (%[random]), %%" registers "14\n\t" load " 64(%[random]), %%" registers  \
                    "15\n\t"                                                                   \
                    "1:\n\t"                                                                   \
                    ".irp sum, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n\t" product               \
                    "\n\t.endr\n\t"                                                            \
                    "dec %[steps]\n\t"                                                         \
                    "jnz 1b\n\t"                                                               \
                    "vzeroupper"                                                               \
               : [steps] "+r"(steps)                                                           \
               : [random] "r"(random.bytes), "m"(random)                                       \
               : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                 "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")

struct alignas(64) TileConfig {  // palette 1: all eight tiles 16 rows of 64 bytes
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

}  // namespace

void probe_vpdpbusd(long steps) {
  FEDVS_PROBE_LOOP("vmovdqu64", "zmm", "vpdpbusd %%zmm15, %%zmm14, %%zmm\\sum");
}

void probe_vpmaddwd(long steps) {
  FEDVS_PROBE_LOOP("vmovdqu", "ymm", "vpmaddwd %%ymm15, %%ymm14, %%ymm\\sum");
}

void probe_vpmuludq_512(long steps) {
  FEDVS_PROBE_LOOP("vmovdqu64", "zmm", "vpmuludq %%zmm15, %%zmm14, %%zmm\\sum");
}

void probe_vpmuludq_256(long steps) {
  FEDVS_PROBE_LOOP("vmovdqu", "ymm", "vpmuludq %%ymm15, %%ymm14, %%ymm\\sum");
}

void probe_tdpbuud(long steps) {
  static const RandomBytes random;
  static const TileConfig config;
  asm volatile(
      "ldtilecfg %[config]\n\t"
      ".irp sum, 0, 1, 2, 3\n\ttilezero %%tmm\\sum\n\t.endr\n"
      "1:\n\t"
      "tileloadd (%[random], %[stride]), %%tmm4\n\t"
      "tileloadd 1024(%[random], %[stride]), %%tmm5\n\t"
      "tileloadd 2048(%[random], %[stride]), %%tmm6\n\t"
      "tileloadd 3072(%[random], %[stride]), %%tmm7\n\t"
      "tdpbuud %%tmm6, %%tmm4, %%tmm0\n\t"
      "tdpbuud %%tmm7, %%tmm4, %%tmm1\n\t"
      "tdpbuud %%tmm6, %%tmm5, %%tmm2\n\t"
      "tdpbuud %%tmm7, %%tmm5, %%tmm3\n\t"
      "dec %[steps]\n\t"
      "jnz 1b\n\t"
      "tilerelease"
      : [steps] "+r"(steps)
      : [random] "r"(random.bytes), [stride] "r"(64L), [config] "m"(config), "m"(random)
      : "cc");
}

}  // namespace fedvs::measuring
