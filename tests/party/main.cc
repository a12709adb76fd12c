// A test that computes what the program computes, to the last bit, must have its OpenBLAS: the
// process starts anew with what the launcher sets. Its children inherit it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>

#include "apps/openblas_environment.h"

int main(int argc, char** argv) {
  constexpr const char* kStartedAnew = "FEDVS_TEST_STARTED_ANEW";
  if (std::getenv(kStartedAnew) == nullptr) {
    fedvs::set_openblas_environment();
    setenv(kStartedAnew, "1", 1);
    execv("/proc/self/exe", argv);
    return 127;
  }
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
