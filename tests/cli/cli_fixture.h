// A folder to run the program in, and what its tests share.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::cli {

inline Arguments operator+(Arguments first, const Arguments& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

// What a shell would make of a line without quotes.
inline Arguments words(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

// A model so small that a round takes no time.
inline const Arguments kTiny =
    words("--set model.width=4 --set model.hidden=[6,5] --set train.batch_size=20");

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

// Six columns that tell "ham" from "spam", more or less; the label comes last.
inline std::string mail_csv(int rows) {
  std::mt19937 random(7);
  std::string csv = "c1,c2,c3,c4,c5,c6,kind\n";
  for (int r = 0; r < rows; ++r) {
    const bool spam = random() % 2 == 0;
    for (int c = 0; c < 6; ++c) {
      const auto noise = static_cast<int>(random() % 2000) - 1000;
      csv += std::to_string((spam ? 500 : -500) + noise) + ",";
    }
    csv += spam ? "spam\n" : "ham\n";
  }
  return csv;
}

class Cli : public testing::Test {
 protected:
  Outcome fedvs(const Arguments& arguments, const Environment& environment = {}) {
    return Program(folder_.path(), arguments, environment).wait();
  }

  // Ends with `status`, says all of `says`, and leaves the folder as it was.
  void expect_refused(const Arguments& arguments, int status, const std::vector<std::string>& says,
                      const Environment& environment = {}) {
    const auto before = everything();
    const Outcome outcome = fedvs(arguments, environment);
    const std::string command = testing::PrintToString(arguments);
    EXPECT_EQ(outcome.status, status) << command << outcome.err;
    for (const auto& word : says) {
      EXPECT_THAT(outcome.err, testing::HasSubstr(word)) << command;
    }
    EXPECT_EQ(everything(), before) << command;
  }

  // Every file below the folder with its contents, and every folder.
  std::set<std::string> everything() const {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      const bool file = entry.is_regular_file();
      all.insert(entry.path().string() + (file ? ": " + contents_of(entry.path()) : "/"));
    }
    return all;
  }

  std::string text(const std::string& name) const { return contents_of(folder_ / name); }
  void write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    put(folder_ / name, bytes);
  }

  ScratchFolder folder_;
};

}  // namespace fedvs::cli
