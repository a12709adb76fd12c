// into[i] += term[i] modulo the prime, over a long array. By the active kernel.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fedvs::field {

void add_words(std::uint8_t* into, const std::uint8_t* term, std::size_t count,
               std::uint32_t prime);
void add_words(std::uint32_t* into, const std::uint32_t* term, std::size_t count,
               std::uint32_t prime);

}  // namespace fedvs::field
