// Kernels of combine() for one plane and one stretch of elements.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "fedvs/field/ring.h"

namespace fedvs::field {

// outputs[o][e] = sum_i coefficients[o * inputs.size() + i] * inputs[i][e] mod prime, e < count.
void combine_bytes(std::span<const Residue> coefficients, std::uint32_t prime,
                   std::span<const std::uint8_t* const> inputs,
                   std::span<std::uint8_t* const> outputs, std::size_t count);
void combine_m31(std::span<const Residue> coefficients,
                 std::span<const std::uint32_t* const> inputs,
                 std::span<std::uint32_t* const> outputs, std::size_t count);

}  // namespace fedvs::field
