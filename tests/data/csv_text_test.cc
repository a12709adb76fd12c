#include "fedvs/data/csv_text.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>

#include "fedvs/base/public_random.h"
#include "fedvs/data/csv_columns.h"
#include "tests/data/temp_folder.h"

namespace fedvs::data {
namespace {

std::string number(float value) {
  std::string out;
  append_number(out, value);
  return out;
}

// Through the reader that parties use.
std::vector<float> read_back(const std::string& csv) {
  TempFolder folder;
  CsvReader reader = CsvReader::open(folder.write("numbers.csv", csv)).value();
  const ColumnUse use[] = {ColumnUse::kNumber};
  return read_columns(reader, use, false).value().numbers.values;
}

void expect_same_bits(const std::vector<float>& values) {
  std::string csv = "x\n";
  for (float value : values) {
    append_number(csv, value);
    csv += '\n';
  }
  const std::vector<float> read = read_back(csv);
  ASSERT_EQ(read.size(), values.size());
  for (std::size_t i = 0; i < read.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint32_t>(read[i]), std::bit_cast<std::uint32_t>(values[i]))
        << number(values[i]);
}

TEST(CsvText, NumbersAreShort) {
  EXPECT_EQ(number(255), "255");
  EXPECT_EQ(number(-3), "-3");
  EXPECT_EQ(number(0.1f), "0.1");
  EXPECT_EQ(number(0), "0");
}

TEST(CsvText, FloatsAtTheEdgesReadBackBitForBit) {
  using Limits = std::numeric_limits<float>;
  expect_same_bits({0.0f, -0.0f, Limits::min(), -Limits::min(), Limits::denorm_min(), Limits::max(),
                    Limits::lowest(), Limits::epsilon(), 16777216.0f, 16777218.0f, -16777216.0f,
                    1e10f, 0.1f, 1.0f / 3.0f});
}

TEST(CsvText, TheFloatWhoseShortestDigitsADoubleMisreadsReadsBack) {
  const float value = std::bit_cast<float>(0x15ae43fdu);
  ASSERT_NE(static_cast<float>(7.038531e-26), value);  // its shortest digits, by way of a double
  expect_same_bits({value, -value});
}

TEST(CsvText, AHundredThousandFloatsOfAllSizesReadBackBitForBit) {
  PublicRandom random(5);
  std::vector<float> values;
  while (values.size() < 100000) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random.next_u64()));
    if (std::isfinite(value)) values.push_back(value);
  }
  expect_same_bits(values);
}

TEST(CsvText, WordsReadBackWhateverIsInThem) {
  const std::vector<std::string> words = {
      "plain", "a,b", "say \"x\"", " led", "trailed\t", "two\nlines", "cr\r", "\"", "T-shirt/top"};
  std::string csv = "x,y\n";
  for (const std::string& word : words) {
    append_text(csv, word);
    csv += ",1\n";
  }
  TempFolder folder;
  CsvReader reader = CsvReader::open(folder.write("words.csv", csv)).value();
  for (const std::string& word : words) EXPECT_EQ(reader.next().value()[0], word);
  EXPECT_TRUE(reader.next().value().empty());
}

}  // namespace
}  // namespace fedvs::data
