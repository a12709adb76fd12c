// Whatever the bytes, decode() returns a message or says why not. A message that it returns has one
// meaning: written again, it reads the same.
#include "fedvs/protocol/message_form.h"
#include "fedvs/wire/codec.h"
#include "fuzz/fuzzed_jobs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fedvs;
  if (size == 0) return 0;
  const auto& agreement = fuzz::jobs()[data[0] % fuzz::jobs().size()];
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto message = wire::decode(agreement, bytes);
  if (!message) {
    FEDVS_CHECK(message.error().code == ErrorCode::kRefused, "refused, not failed");
    FEDVS_CHECK(!message.error().message.empty(), "with a reason");
    return 0;
  }
  const auto form = protocol::check_form(agreement, protocol::Arithmetic::kReal, **message);
  if (!form) FEDVS_CHECK(form.error().code == ErrorCode::kRefused, "refused, not failed");
  const std::string written = wire::encode(**message);
  FEDVS_CHECK(written.size() <= wire::largest_message(agreement), "within the limit");
  const auto again = wire::decode(agreement, written);
  FEDVS_CHECK(again.has_value(), again ? "" : again.error().message);
  FEDVS_CHECK(wire::encode(**again) == written, "one meaning");
  return 0;
}
