// Whatever the bytes, decode() returns a sound message or says why not.
#include "fuzz/fuzzed_jobs.h"
#include "tests/support/wire_soundness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fedvs;
  if (size == 0) return 0;
  const auto& agreement = fuzz::jobs()[data[0] % fuzz::jobs().size()];
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string wrong = testing::unsound(agreement, bytes);
  FEDVS_CHECK(wrong.empty(), wrong);
  return 0;
}
