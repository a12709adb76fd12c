// What fuzz/decode_message.cc looks for at length, in short and on every run of the tests.
#include <gmock/gmock.h>

#include "tests/support/properties.h"
#include "tests/support/wire_samples.h"
#include "tests/support/wire_soundness.h"

namespace fedvs::wire {
namespace {

using fedvs::testing::unsound;
using fedvs::testing::wire_agreement;
using fedvs::testing::WireSamples;

protocol::Agreement any_agreement() {
  return wire_agreement(*rc::gen::elementOf(field::Ring::names()));
}

std::string any_message(const protocol::Agreement& agreement) {
  const auto all = WireSamples(agreement, *rc::gen::inRange<std::uint64_t>(0, 1000)).all();
  return encode(all[*rc::gen::inRange<std::size_t>(0, all.size())]);
}

RC_GTEST_PROP(Codec, ChangedBytesAreRefusedOrMeanSomethingSound, ()) {
  const auto agreement = any_agreement();
  const std::string whole = any_message(agreement);
  for (int i = 0; i < 100; ++i) {
    std::string bytes = whole;
    const int changes = *rc::gen::inRange(1, 5);
    for (int c = 0; c < changes && !bytes.empty(); ++c) {
      // Mostly near the beginning, where lengths and numbers are.
      const auto reach = *rc::gen::element<std::size_t>(8, 64, bytes.size());
      const auto at = *rc::gen::inRange<std::size_t>(0, std::min(reach, bytes.size()));
      bytes[at] = static_cast<char>(*rc::gen::inRange(0, 256));
    }
    RC_ASSERT(unsound(agreement, bytes) == "");
  }
}

RC_GTEST_PROP(Codec, SplicedMessagesAreRefusedOrMeanSomethingSound, ()) {
  const auto agreement = any_agreement();
  const std::string one = any_message(agreement), other = any_message(agreement);
  const auto keep = *rc::gen::inRange<std::size_t>(0, one.size() + 1);
  const auto skip = *rc::gen::inRange<std::size_t>(0, other.size() + 1);
  RC_ASSERT(unsound(agreement, one.substr(0, keep) + other.substr(skip)) == "");
}

RC_GTEST_PROP(Codec, NoiseIsRefusedOrMeansSomethingSound, ()) {
  const auto agreement = any_agreement();
  const auto noise = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  RC_ASSERT(unsound(agreement, noise) == "");
}

TEST(Codec, NoTruncatedMessageGetsThrough) {
  for (const std::string& ring : {std::string("rns4"), std::string("m31")}) {
    const auto agreement = wire_agreement(ring);
    for (const auto& message : WireSamples(agreement, 9).all()) {
      const std::string whole = encode(message);
      for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto read = decode(agreement, std::string_view(whole).substr(0, size));
        ASSERT_FALSE(read && protocol::check_form(agreement, **read))
            << kind_name(kind_of(message)) << " cut to " << size << " of " << whole.size();
      }
    }
  }
}

}  // namespace
}  // namespace fedvs::wire
