#include "fedvs/field/add_words.h"

#include "fedvs/base/isa.h"
#include "fedvs/field/kernel.h"

namespace fedvs::field {
namespace {

// Without leaving the word: a, b < p, also where 2p does not fit.
template <class Word>
FEDVS_INLINE void add(Word* into, const Word* term, std::size_t count, Word prime) {
  for (std::size_t i = 0; i < count; ++i) {
    const Word room = static_cast<Word>(prime - term[i]);
    const Word wrapped = static_cast<Word>(into[i] - room);
    const Word sum = static_cast<Word>(into[i] + term[i]);
    into[i] = into[i] >= room ? wrapped : sum;
  }
}

template <class Word>
FEDVS_TARGET_AVX2 void add_avx2(Word* into, const Word* term, std::size_t count, Word prime) {
  add(into, term, count, prime);
}

template <class Word>
FEDVS_TARGET_AVX512 void add_avx512(Word* into, const Word* term, std::size_t count, Word prime) {
  add(into, term, count, prime);
}

template <class Word>
void add_by_kernel(Word* into, const Word* term, std::size_t count, Word prime) {
  const Kernel kernel = active_kernel();
  if (kernel >= Kernel::kVnni) return add_avx512(into, term, count, prime);
  if (kernel == Kernel::kAvx2) return add_avx2(into, term, count, prime);
  add(into, term, count, prime);
}

}  // namespace

void add_words(std::uint8_t* into, const std::uint8_t* term, std::size_t count,
               std::uint32_t prime) {
  add_by_kernel(into, term, count, static_cast<std::uint8_t>(prime));
}

void add_words(std::uint32_t* into, const std::uint32_t* term, std::size_t count,
               std::uint32_t prime) {
  add_by_kernel(into, term, count, prime);
}

}  // namespace fedvs::field
