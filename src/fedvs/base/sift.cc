#include "fedvs/base/sift.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "fedvs/base/isa.h"

namespace fedvs {
namespace {

constexpr std::uint32_t kMersenne31 = 0x7fffffff;

void advance(Draws& draws, std::size_t taken, std::size_t kept) {
  draws.next += taken;
  draws.bytes -= taken;
  draws.out += kept;
  draws.room -= kept;
}

// Where the bytes go that are kept of eight: entry m lists the positions of the bits set in m.
using Positions = std::array<std::uint8_t, 8>;
constexpr auto kPositions = [] {
  std::array<Positions, 256> table{};
  for (std::size_t mask = 0; mask < 256; ++mask) {
    std::size_t kept = 0;
    for (std::uint8_t bit = 0; bit < 8; ++bit) {
      if ((mask >> bit & 1) != 0) table[mask][kept++] = bit;
    }
  }
  return table;
}();

}  // namespace

void sift_bytes_portable(Draws& draws, std::uint32_t bound) {
  // Without branches: a draw is written where the next kept one belongs, and then kept or not.
  while (draws.bytes > 0 && draws.room > 0) {
    const std::size_t count = std::min(draws.bytes, draws.room);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      draws.out[kept] = draws.next[i];
      kept += draws.next[i] < bound ? 1u : 0u;
    }
    advance(draws, count, kept);
  }
}

FEDVS_TARGET_AVX2 void sift_bytes_avx2(Draws& draws, std::uint32_t bound) {
  const __m128i most = _mm_set1_epi8(static_cast<char>(bound - 1));
  while (draws.bytes >= 16 && draws.room >= 16) {
    const __m128i drawn = _mm_loadu_si128(reinterpret_cast<const __m128i*>(draws.next));
    const __m128i fits = _mm_cmpeq_epi8(_mm_min_epu8(drawn, most), drawn);
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(fits));
    const unsigned low = mask & 0xff, high = mask >> 8;
    const auto low_kept = static_cast<std::size_t>(__builtin_popcount(low));
    const auto high_kept = static_cast<std::size_t>(__builtin_popcount(high));
    const __m128i low_at = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&kPositions[low]));
    const __m128i high_at = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&kPositions[high]));
    const __m128i low_bytes = _mm_shuffle_epi8(drawn, low_at);
    const __m128i high_bytes = _mm_shuffle_epi8(_mm_srli_si128(drawn, 8), high_at);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(draws.out), low_bytes);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(draws.out + low_kept), high_bytes);
    advance(draws, 16, low_kept + high_kept);
  }
  sift_bytes_portable(draws, bound);
}

FEDVS_TARGET_VBMI2 void sift_bytes_vbmi2(Draws& draws, std::uint32_t bound) {
  const __m512i limit = _mm512_set1_epi8(static_cast<char>(bound));
  while (draws.bytes >= 64 && draws.room >= 64) {
    const __m512i drawn = _mm512_loadu_si512(draws.next);
    const __mmask64 fits = _mm512_cmplt_epu8_mask(drawn, limit);
    _mm512_storeu_si512(draws.out, _mm512_maskz_compress_epi8(fits, drawn));
    advance(draws, 64, static_cast<std::size_t>(__builtin_popcountll(fits)));
  }
  while (draws.bytes > 0 && draws.room > 0) {
    const std::size_t count = std::min<std::size_t>(64, draws.bytes);
    const __m512i drawn =
        _mm512_maskz_loadu_epi8(_bzhi_u64(~0ull, static_cast<unsigned>(count)), draws.next);
    __mmask64 fits = _mm512_cmplt_epu8_mask(drawn, limit);
    fits = _bzhi_u64(fits, static_cast<unsigned>(count));
    std::size_t taken = count, kept = static_cast<std::size_t>(__builtin_popcountll(fits));
    if (kept >= draws.room) {  // stop at the draw that fills the output
      kept = draws.room;
      taken = static_cast<std::size_t>(__builtin_ctzll(_pdep_u64(1ull << (kept - 1), fits))) + 1;
    }
    _mm512_mask_storeu_epi8(draws.out, _bzhi_u64(~0ull, static_cast<unsigned>(kept)),
                            _mm512_maskz_compress_epi8(fits, drawn));
    advance(draws, taken, kept);
  }
}

const std::vector<SiftBytes>& available_sifts() {
  static const std::vector<SiftBytes> kSifts = [] {
    std::vector<SiftBytes> sifts{&sift_bytes_portable};
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    if (avx2) sifts.push_back(&sift_bytes_avx2);
    if (avx2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2")) {
      sifts.push_back(&sift_bytes_vbmi2);
    }
    return sifts;
  }();
  return kSifts;
}

void sift_words(Draws& draws) {
  constexpr std::size_t kWord = sizeof(std::uint32_t), kMost = 1024;
  while (draws.bytes >= kWord && draws.room >= kWord) {
    const std::size_t count = std::min({draws.bytes / kWord, draws.room / kWord, kMost});
    auto* words = reinterpret_cast<std::uint32_t*>(draws.out);
    std::memcpy(words, draws.next, count * kWord);
    std::uint32_t rejected = 0;
    for (std::size_t i = 0; i < count; ++i) {
      words[i] &= kMersenne31;
      rejected |= words[i] == kMersenne31 ? 1u : 0u;
    }
    const bool all = rejected == 0;  // but once in 2^21 stretches
    const auto kept =
        all ? count
            : static_cast<std::size_t>(std::remove(words, words + count, kMersenne31) - words);
    advance(draws, count * kWord, kept * kWord);
  }
}

}  // namespace fedvs
