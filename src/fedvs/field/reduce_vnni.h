// Integers to residues of a byte prime above 128, by AVX-512 with VNNI.
#pragma once
#include "fedvs/field/combine_kernels.h"

namespace fedvs::field {

void reduce_integers_vnni(const std::int32_t* values, std::size_t count, const BytePrime& prime,
                          std::uint8_t* out);
void reduce_integers_vnni(const std::int16_t* values, std::size_t count, const BytePrime& prime,
                          std::uint8_t* out);

}  // namespace fedvs::field
