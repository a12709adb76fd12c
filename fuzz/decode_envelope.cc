// Whatever the bytes, decode_envelope() returns an envelope or says why not, and what it returns is
// the same when written and read again.
#include "fedvs/base/check.h"
#include "fedvs/net/wire/envelope.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fedvs;
  const wire::EnvelopeLimits limits{.parties = 7, .contents = 4096};
  const auto envelope = wire::decode_envelope(limits, {reinterpret_cast<const char*>(data), size});
  if (!envelope) {
    FEDVS_CHECK(envelope.error().code == ErrorCode::kRefused, "refused, not failed");
    FEDVS_CHECK(!envelope.error().message.empty(), "with a reason");
    return 0;
  }
  const auto again = wire::decode_envelope(limits, wire::encode(*envelope));
  FEDVS_CHECK(again.has_value(), again ? "" : again.error().message);
  FEDVS_CHECK(*again == *envelope, "one meaning");
  return 0;
}
