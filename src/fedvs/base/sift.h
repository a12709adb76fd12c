// Rejection sampling on a stream of draws: those that fit are kept in their order, whichever
// instruction set does it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fedvs {

struct Draws {  // what is left of a stretch of the stream, and of the output
  const std::uint8_t* next;
  std::size_t bytes;
  std::uint8_t* out;
  std::size_t room;  // in bytes
};

// Moves bytes below `bound` from `next` to `out` until there is no room or nothing left; nothing is
// taken past the byte that fills the output.
using SiftBytes = void (*)(Draws& draws, std::uint32_t bound);
void sift_bytes_portable(Draws& draws, std::uint32_t bound);
void sift_bytes_avx2(Draws& draws, std::uint32_t bound);
void sift_bytes_vbmi2(Draws& draws, std::uint32_t bound);
const std::vector<SiftBytes>& available_sifts();  // on this machine; the fastest is the last

// The same for 31-bit words other than 2^31 - 1; takes and fills whole words only. `out` is
// aligned.
void sift_words(Draws& draws);

}  // namespace fedvs
