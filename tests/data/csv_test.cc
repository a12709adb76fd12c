#include "fedvs/data/csv.h"

#include <gmock/gmock.h>

#include "fedvs/data/csv_columns.h"
#include "tests/data/temp_folder.h"

namespace fedvs::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Rows = std::vector<std::vector<std::string>>;

Result<Rows> read_all(const std::string& path) {
  FEDVS_TRY(CsvReader reader, CsvReader::open(path));
  Rows rows = {reader.header()};
  for (;;) {
    FEDVS_TRY(const auto cells, reader.next());
    if (cells.empty()) return rows;
    rows.emplace_back(cells.begin(), cells.end());
  }
}

std::string error_of(const std::string& text) {
  const TempFolder folder;
  const auto rows = read_all(folder.write("t.csv", text));
  return rows ? "no error" : rows.error().message;
}

TEST(CsvReader, ReadsQuotesLineEndsAndSpaces) {
  // Given quoted commas, doubled quotes, a line break in a cell, CRLF, a blank and no last line end
  const TempFolder folder;
  const auto path = folder.write(
      "t.csv",
      "\xef\xbb\xbf\"a\" , b\r\n\"x,1\",\"say \"\"hi\"\"\"\r\n\r\n\"two\nlines\",  5 \r\n,\"\"");
  EXPECT_EQ(read_all(path).value(),
            (Rows{{"a", "b"}, {"x,1", "say \"hi\""}, {"two\nlines", "5"}, {"", ""}}));
}

TEST(CsvReader, BoundsTheCellsThatAreLeftByLinesAndByLength) {
  const TempFolder folder;
  CsvReader reader = CsvReader::open(folder.write("t.csv", "a,b,c\n1,22,3\n4,5,6\n")).value();
  EXPECT_EQ(reader.most_cells(2), 6u);  // two rows, and perhaps one that ends without a line end
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.most_cells(2), 4u);
  // Blank lines hold no cells: a wide header above many of them asks for no memory.
  const auto blank = CsvReader::open(folder.write("t.csv", "a,b,c\n" + std::string(1000, '\n')));
  EXPECT_EQ(blank.value().most_cells(1'000'000'000), 1001u);
}

TEST(CsvReader, NamesTheLineOfARaggedRow) {
  EXPECT_THAT(error_of("a,b,c\n1,2,3\n4,5\n"),
              AllOf(HasSubstr("t.csv, line 3"), HasSubstr("2 cells"), HasSubstr("3 columns")));
  EXPECT_THAT(error_of("a,b\n\"x\ny\",2\n1,2,3\n"), HasSubstr("t.csv, line 4: 3 cells"));
}

TEST(CsvReader, NamesTheLineOfABrokenQuote) {
  EXPECT_THAT(error_of("a,b\n1,2\n\"3,4\n5,6\n"), HasSubstr("line 3: a quote is opened and never"));
  EXPECT_THAT(error_of("a,b\n\"1\"x,2\n"),
              HasSubstr("line 2: there is text after a closing quote"));
}

TEST(CsvReader, RefusesHeadersThatCannotNameColumns) {
  EXPECT_THAT(error_of(""), HasSubstr("the file is empty"));
  EXPECT_THAT(error_of("a,b,a\n1,2,3\n"), HasSubstr("two columns are called \"a\""));
  EXPECT_THAT(error_of("a,,c\n1,2,3\n"), HasSubstr("column 2 has no name"));
  EXPECT_THAT(error_of("a;b\n1;2\n"), HasSubstr("not separated by commas"));
}

std::string number_error(const std::string& cell) {
  const TempFolder folder;
  CsvReader reader = CsvReader::open(folder.write("t.csv", "a,b\n1,2\n3," + cell + "\n")).value();
  const std::vector<ColumnUse> use(2, ColumnUse::kNumber);
  const auto columns = read_columns(reader, use, /*allow_missing=*/false);
  return columns ? "no error" : columns.error().message;
}

TEST(CsvColumns, NamesFileLineColumnAndRemedyOfABadNumber) {
  const auto place = HasSubstr("t.csv, line 3, column \"b\": ");
  EXPECT_THAT(number_error(""),
              AllOf(place, HasSubstr("is empty"), HasSubstr("data.missing = \"mean\"")));
  EXPECT_THAT(number_error("red"), AllOf(place, HasSubstr("\"red\" is not a number"),
                                         HasSubstr("data.categorical"), HasSubstr("data.ignore")));
  EXPECT_THAT(number_error("12abc"), HasSubstr("\"12abc\" is not a number"));
  EXPECT_THAT(number_error("NaN"), AllOf(place, HasSubstr("\"NaN\" is not a finite number")));
  EXPECT_THAT(number_error("inf"), AllOf(place, HasSubstr("\"inf\" is not a finite number")));
  EXPECT_THAT(number_error("-1e39"), HasSubstr("\"-1e39\" is not a finite number"));
  EXPECT_THAT(number_error("1e999"), HasSubstr("\"1e999\" is not a finite number"));
}

TEST(CsvColumns, ReadsNumbersAsTheyAreWritten) {
  const TempFolder folder;
  CsvReader reader =
      CsvReader::open(folder.write("t.csv", "a\n-6.2e10\n+7\n8.68E-05\n1e-400\n.5\n")).value();
  const std::vector<ColumnUse> use = {ColumnUse::kNumber};
  EXPECT_THAT(read_columns(reader, use, false).value().numbers.values,
              ElementsAre(-6.2e10f, 7.0f, 8.68e-5f, 0.0f, 0.5f));
}

TEST(CsvColumns, KeepsTextAsCodesAndSkipsWhatIsNotUsed) {
  const TempFolder folder;
  CsvReader reader =
      CsvReader::open(folder.write("t.csv", "a,junk,c\nx,??,1\ny,!,2\nx,,3\n")).value();
  const std::vector<ColumnUse> use = {ColumnUse::kText, ColumnUse::kSkip, ColumnUse::kNumber};
  const CsvColumns columns = read_columns(reader, use, false).value();
  EXPECT_EQ(columns.rows, 3u);
  EXPECT_THAT(columns.texts[0].values, ElementsAre("x", "y"));
  EXPECT_THAT(columns.texts[0].codes, ElementsAre(0, 1, 0));
  EXPECT_THAT(columns.numbers.values, ElementsAre(1, 2, 3));
}

TEST(CsvColumns, RefusesATableWithoutRows) {
  const TempFolder folder;
  CsvReader reader = CsvReader::open(folder.write("t.csv", "a,b\n")).value();
  const std::vector<ColumnUse> use(2, ColumnUse::kNumber);
  const auto columns = read_columns(reader, use, false);
  ASSERT_FALSE(columns);
  EXPECT_THAT(columns.error().message, HasSubstr("no rows below the header"));
}

}  // namespace
}  // namespace fedvs::data
