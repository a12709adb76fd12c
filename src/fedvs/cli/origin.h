// This very program: the commit it was built from, and the machine it runs on.
#pragma once
#include "fedvs/study/origin.h"

namespace fedvs::cli {

study::Origin own_origin();

}  // namespace fedvs::cli
