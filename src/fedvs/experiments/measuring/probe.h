// What the instruction behind a kernel's product does when nothing else is in its way: operands in
// registers (AMX: in the first-level cache), random bytes, no reduction. The reachable peak of one
// core at this moment, so measure it in the same run.
#pragma once
#include <optional>
#include <string_view>

#include "fedvs/field/kernel.h"

namespace fedvs::measuring {

struct Probe {
  std::string_view instruction;
  double macs_per_step;  // multiply-adds over the whole ring
  void (*run)(long steps);
};

// Of the four byte planes of rns4; of m31. None for the portable kernel.
std::optional<Probe> rns4_probe(field::Kernel kernel);
std::optional<Probe> m31_probe(field::Kernel kernel);

}  // namespace fedvs::measuring
