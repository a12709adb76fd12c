#include "fedvs/base/bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fedvs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string one_of_each() {
  ByteWriter writer;
  writer.number<std::int32_t>(-2);
  writer.number(0.1);
  writer.flag(true);
  writer.text("name");
  writer.numbers(std::vector<float>{1.5F, -0.0F});
  writer.numbers(std::vector<std::int32_t>{7, -7});
  writer.numbers(std::vector<std::uint8_t>{});
  return writer.take();
}

// All of one_of_each(), or the first error.
Status read_all(ByteReader& reader) {
  FEDVS_TRY(const auto number, reader.number<std::int32_t>());
  FEDVS_TRY(const auto real, reader.number<double>());
  FEDVS_TRY(const bool flag, reader.flag());
  const auto name = reader.text();
  if (!name) return name.error();
  FEDVS_TRY(const auto floats, reader.numbers<float>());
  FEDVS_TRY(const auto ints, reader.numbers<std::int32_t>());
  FEDVS_TRY(const auto none, reader.numbers<std::uint8_t>());
  EXPECT_EQ(number, -2);
  EXPECT_EQ(real, 0.1);
  EXPECT_TRUE(flag);
  EXPECT_EQ(*name, "name");
  EXPECT_THAT(floats, ElementsAre(1.5F, -0.0F));
  EXPECT_THAT(ints, ElementsAre(7, -7));
  EXPECT_TRUE(none.empty());
  return reader.finish();
}

TEST(Bytes, ReadsBackWhatWasWritten) {
  const std::string bytes = one_of_each();
  ByteReader reader(bytes);
  EXPECT_TRUE(read_all(reader));
}

TEST(Bytes, AreLittleEndianWithSixtyFourBitLengths) {
  ByteWriter writer;
  writer.number<std::uint32_t>(0x01020304);
  writer.text("ab");
  EXPECT_EQ(writer.bytes(), std::string("\4\3\2\1\2\0\0\0\0\0\0\0ab", 14));
}

TEST(Bytes, EveryTruncationIsAnError) {
  const std::string bytes = one_of_each();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader(std::string_view(bytes).substr(0, size));
    const auto status = read_all(reader);
    ASSERT_FALSE(status) << size;
    EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(status.error().message, HasSubstr("end too early"));
  }
}

TEST(Bytes, ALengthBeyondTheEndIsAnErrorEvenIfItOverflows) {
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    ByteWriter writer;
    writer.number(count);
    ByteReader reader(writer.bytes());
    EXPECT_FALSE(reader.numbers<float>()) << count;
  }
}

TEST(Bytes, LeftOversAndStrangeFlagsAreErrors) {
  ByteReader reader("\2x");
  EXPECT_FALSE(reader.flag());
  EXPECT_FALSE(reader.finish());
}

}  // namespace
}  // namespace fedvs
