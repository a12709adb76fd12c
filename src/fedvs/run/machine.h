// Where figures come from.
#pragma once
#include <string>

namespace fedvs::run {

std::string cpu_model();  // "unknown CPU" where the system does not say
int cores();

}  // namespace fedvs::run
