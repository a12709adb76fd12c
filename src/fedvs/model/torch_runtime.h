// How libtorch is entered: on one thread, and never left by an exception.
#pragma once
#include <exception>

#include "fedvs/base/check.h"

namespace fedvs::model {

// One thread for torch and for the BLAS below it, whichever pool that brings along, when called
// from this thread: OpenMP keeps that number for every thread apart.
void use_one_thread();

// Shapes were checked before: what torch still throws is a programmer's mistake.
template <class Body>
auto without_exceptions(const Body& body) {
  use_one_thread();
  try {
    return body();
  } catch (const std::exception& e) {
    check_failed("libtorch did not throw", e.what(), __FILE__, __LINE__);
  }
}

}  // namespace fedvs::model
