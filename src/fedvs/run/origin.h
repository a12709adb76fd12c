// This very program: the commit it was built from, and the machine it runs on.
#pragma once
#include <compare>
#include <string>

namespace fedvs::run {

struct Origin {  // of a run: the program that ended it. Empty: unknown
  std::string commit, machine;
  auto operator<=>(const Origin&) const = default;
};
Origin own_origin();

}  // namespace fedvs::run
