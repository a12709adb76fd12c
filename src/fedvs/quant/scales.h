// l_x and l_w chosen from public facts alone, so that all parties choose alike.
#pragma once
#include <span>

#include "fedvs/base/result.h"
#include "fedvs/field/ring.h"

namespace fedvs::quant {

struct ClientWidth {
  int features;  // d_n
  int degree;    // D_n
};
struct Scales {
  int l_x;
  int l_w;
};
// l_x + l_w is the largest for which a worst row (all features at +-clip) times a weight column of
// norm kColumnNorm stays within (M-1) / (2N) for every client; l_w gets 4/7 of it (at most 14,
// l_x at most 12). m31 and rns4 both count as 31 bits. kBadJob when fewer than 10 bits are left,
// with the ring that would do.
inline constexpr double kColumnNorm = 4.0;
Result<Scales> automatic_scales(const field::Ring& ring, std::span<const ClientWidth> clients,
                                double clip);

}  // namespace fedvs::quant
