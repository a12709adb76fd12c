#include "fedvs/base/digest.h"

#include <gtest/gtest.h>

namespace fedvs {
namespace {

TEST(Hasher, MatchesThePublishedDigestOfAbc) {
  Hasher hasher;
  hasher.add("a").add("bc");
  EXPECT_EQ(to_hex(hasher.finish()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Hasher, HashesNumbersAsLittleEndianBytes) {
  Hasher number, bytes;
  number.add_u64(0x0807060504030201);
  bytes.add(std::string_view("\x01\x02\x03\x04\x05\x06\x07\x08", 8));
  EXPECT_EQ(number.finish(), bytes.finish());
}

}  // namespace
}  // namespace fedvs
