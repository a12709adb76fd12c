// Long arrays of integers modulo a prime. Plain loops without divisions or branches, so that the
// compiler turns them into vector code.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace fedvs::field {

// values are integers in [0, 2^24); out[i] = values[i] mod prime, prime <= 251.
void reduce_floats(std::span<const float> values, std::uint32_t prime, std::uint8_t* out);
// out[i] = values[i] mod prime in [0, prime): the map phi of the paper. By the active kernel.
void reduce_integers(std::span<const std::int32_t> values, std::uint32_t prime, std::uint8_t* out);
void reduce_integers(std::span<const std::int16_t> values, std::uint32_t prime, std::uint8_t* out);
// The same for 2^31 - 1.
void reduce_integers_m31(std::span<const std::int32_t> values, std::uint32_t* out);
void reduce_integers_m31(std::span<const std::int16_t> values, std::uint32_t* out);

}  // namespace fedvs::field
