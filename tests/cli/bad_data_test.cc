// Data that cannot be used: each file's fault is given with its place and what to do about it.
#include <fmt/format.h>

#include "tests/cli/cli_fixture.h"
#include "tests/data/temp_folder.h"

namespace fedvs::cli {
namespace {

using data::idx_bytes;

class BadData : public Cli {
 protected:
  static constexpr int kFailed = 1, kBadUsage = 2;

  void refuses_csv(const std::string& csv, const std::vector<std::string>& says,
                   int status = kFailed) {
    write("mine.csv", csv);
    expect_refused(words("train --data mine.csv --label kind --clients 3 --out run"), status, says);
  }
  // Replaces line `line` (the header is 1) of a good file.
  static std::string mail_csv_with(std::size_t line, const std::string& text) {
    std::string csv;
    const auto lines = lines_of(mail_csv(40));
    for (std::size_t i = 0; i < lines.size(); ++i) csv += (i + 1 == line ? text : lines[i]) + "\n";
    return csv;
  }
};

TEST_F(BadData, AMissingCellIsGivenWithLineAndColumn) {
  refuses_csv(mail_csv_with(7, "1,2,,4,5,6,ham"),
              {"mine.csv, line 7, column \"c3\"", "empty", "data.missing = \"mean\""});
}

TEST_F(BadData, TextAmongNumbersIsQuoted) {
  refuses_csv(mail_csv_with(9, "1,2,3,many,5,6,ham"),
              {"mine.csv, line 9, column \"c4\"", "\"many\" is not a number", "data.categorical"});
}

TEST_F(BadData, NotANumberAndInfinityAreRefused) {
  refuses_csv(mail_csv_with(4, "1,nan,3,4,5,6,ham"),
              {"line 4, column \"c2\"", "\"nan\" is not a finite number", "data.missing"});
  refuses_csv(mail_csv_with(4, "1,inf,3,4,5,6,ham"), {"line 4, column \"c2\"", "\"inf\""});
}

TEST_F(BadData, ARaggedRowIsGivenWithBothCounts) {
  refuses_csv(mail_csv_with(12, "1,2,3,4,5,6"), {"mine.csv, line 12", "6", "7"});
  refuses_csv(mail_csv_with(13, "1,2,3,4,5,6,7,ham"), {"mine.csv, line 13", "8", "7"});
}

TEST_F(BadData, NoSuchLabelSuggestsTheNearestColumn) {
  write("mine.csv", mail_csv(40));
  expect_refused(words("train --data mine.csv --label kid --clients 3 --out run"), kBadUsage,
                 {"data.label", "\"kid\" does not exist", "did you mean \"kind\"?"});
}

TEST_F(BadData, ALabelOfOneClassOrOfMeasurementsIsRefused) {
  refuses_csv("a,b,c,kind\n1,2,3,x\n4,5,6,x\n7,8,9,x\n", {"in all 3 rows", "at least 2 classes"});
  refuses_csv("a,b,c,kind\n1,2,3,1.5\n4,5,6,2.5\n7,8,9,3.5\n1,5,9,4.5\n5,2,3,6.5\n2,2,3,7.5\n",
              {"6 different values in 6 rows"});
}

TEST_F(BadData, ViewsOfUnequalLengthAreBothNamed) {
  write("left.csv", "a,b,kind\n1,2,x\n3,4,y\n5,6,x\n7,8,y\n");
  write("right.csv", "c\n1\n2\n3\n");
  expect_refused(words("train --data left.csv,right.csv --label kind --clients 3 --out run"),
                 kFailed, {"left.csv has 4 rows", "right.csv has 3", "the same rows"});
}

// Lines of `csv` in another order: rows 1 and 2 change places.
std::string swapped(const std::string& csv) {
  auto lines = lines_of(csv);
  std::swap(lines[1], lines[2]);
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

TEST_F(BadData, ViewsWhoseIdsDisagreeAreRefusedWithFilesLinesAndIds) {
  const Arguments train =
      words(
          "train --data left.csv,right.csv --label kind --set code.K=1 --set data.ignore=id "
          "--clients 3 --epochs 1 --out run") +
      kTiny;
  std::string left = "id,a,b,kind\n", right = "id,c,d\n";
  for (int r = 0; r < 40; ++r) {
    left += fmt::format("p{},{},1,{}\n", 100 + r, r % 7, r % 2 == 0 ? "x" : "y");
    right += fmt::format("p{},{},2\n", 100 + r, r % 5);
  }
  write("left.csv", left);
  write("right.csv", swapped(right));
  expect_refused(
      train, kFailed,
      {"left.csv, line 2 has \"p100\"", "column \"id\"", "right.csv, line 2 has \"p101\"",
       "same rows in the same order", "Sort all files"});
  // As they should be, they train.
  write("right.csv", right);
  const Outcome outcome = fedvs(train);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  // New rows to score are lined up the same way.
  write("right.csv", swapped(right));
  expect_refused(words("predict run --data left.csv,right.csv"), kFailed, {"line 2", "\"p101\""});
}

TEST_F(BadData, AFirstColumnThatIsAKeyByItsValuesIsComparedToo) {
  std::string left = "who,a,kind\n", right = "who,c\n", other = "who,c\n";
  for (int r = 0; r < 30; ++r) {
    left += fmt::format("{},1,{}\n", r, r % 2 == 0 ? "x" : "y");
    right += fmt::format("{},2\n", 29 - r);
    other += fmt::format("{}.5,2\n", 1000 + r);
  }
  write("left.csv", left);
  write("right.csv", right);
  const Arguments train =
      words("train --data left.csv,right.csv --label kind --clients 3 --epochs 1 --out run") +
      kTiny;
  expect_refused(train, kFailed,
                 {"left.csv, line 2 has \"0\"", "right.csv, line 2 has \"29\"", "rename it"});
  // Two measurements that bear one name are no key.
  write("right.csv", other);
  EXPECT_EQ(fedvs(train).status, 0);
}

TEST_F(BadData, ACategoricalColumnOfIdsIsRefusedBeforeItTakesMemory) {
  std::string csv = "who,a,b,kind\n";
  for (int r = 0; r < 200'000; ++r) csv += fmt::format("u{},1,2,{}\n", r, r % 2 == 0 ? "x" : "y");
  write("mine.csv", csv);
  expect_refused(words("train --data mine.csv --label kind --clients 3 --set data.categorical=who "
                       "--out run"),
                 kFailed,
                 {"mine.csv: the categorical column \"who\" has 200000 different values in 200000 "
                  "rows: an id?",
                  "at most 4096", "data.ignore"});
}

TEST_F(BadData, ALabelOfThousandsOfClassesIsRefused) {
  std::string csv = "a,b,c,kind\n";
  for (int r = 0; r < 6000; ++r) csv += fmt::format("1,2,3,k{}\n", r % 2000);
  refuses_csv(csv, {"\"kind\" has 2000 different values", "at most 1000 classes"});
}

TEST_F(BadData, AnEmptyFileIsNamed) {
  refuses_csv("", {"mine.csv"});
  refuses_csv("a,b,c,kind\n", {"mine.csv", "no rows below the header"});
}

TEST_F(BadData, AFileThatIsNotThereIsNamed) {
  expect_refused(words("train --data nowhere.csv --label kind --clients 3 --out run"), kFailed,
                 {"cannot read nowhere.csv", "No such file"});
}

// A Fashion-MNIST of two images of 28 x 28 each, to be spoilt.
class BadImages : public BadData {
 protected:
  BadImages() {
    for (const char* part : {"train", "t10k"}) {
      images(part, idx_bytes({0x803, 2, 28, 28}, std::string(2 * 784, 'x')));
      labels(part, idx_bytes({0x801, 2}, std::string("\x00\x01", 2)));
    }
  }
  void images(const std::string& part, const std::string& bytes) {
    write("sets/fashion-mnist/" + part + "-images-idx3-ubyte.gz", bytes);  // plain: gzip optional
  }
  void labels(const std::string& part, const std::string& bytes) {
    write("sets/fashion-mnist/" + part + "-labels-idx1-ubyte.gz", bytes);
  }
  void refuses(const std::vector<std::string>& says) {
    expect_refused({"train", "--data", "fashion-mnist", "--out", "run"}, kFailed, says,
                   {{"FEDVS_DATA", (folder_ / "sets").string()}});
  }
};

TEST_F(BadImages, ATruncatedFileIsGivenWithItsLengths) {
  images("train", idx_bytes({0x803, 2, 28, 28}, std::string(1000, 'x')));
  refuses(
      {"train-images-idx3-ubyte.gz", "1568 bytes", "1000 follow", "truncated", "copy it again"});
}

TEST_F(BadImages, AFileShorterThanItsHeaderIsRefused) {
  labels("t10k", "\x00\x00");
  refuses({"t10k-labels-idx1-ubyte.gz", "too few for an IDX header"});
}

TEST_F(BadImages, AWrongMagicNumberIsShownBesideTheRightOne) {
  images("t10k", idx_bytes({0x801, 2}, "ab"));
  refuses({"t10k-images-idx3-ubyte.gz"});
  images("t10k", idx_bytes({0xcafe, 2, 28, 28}, std::string(2 * 784, 'x')));
  refuses({"t10k-images-idx3-ubyte.gz", "0x0000cafe", "0x00000803"});
}

TEST_F(BadImages, UnequalCountsOfImagesAndLabelsAreGiven) {
  labels("train", idx_bytes({0x801, 3}, std::string("\x00\x01\x02", 3)));
  refuses({"has 2 images", "has 3 labels"});
}

TEST_F(BadImages, AMissingFileIsNamedWithThePackageThatHasIt) {
  std::filesystem::remove(folder_ / "sets/fashion-mnist/t10k-labels-idx1-ubyte.gz");
  refuses({"t10k-labels-idx1-ubyte.gz is not in", "apt-get install dataset-fashion-mnist",
           "FEDVS_DATA"});
}

}  // namespace
}  // namespace fedvs::cli
