#include "fedvs/cli/tail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/store/scratch_folder.h"

namespace fedvs::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TailTest : public testing::Test {
 protected:
  void append(const std::string& text) { std::ofstream(file_, std::ios::app) << text; }
  ScratchFolder folder_;
  const std::filesystem::path file_ = folder_ / "log";
};

TEST_F(TailTest, GivesLinesOnceTheyAreWhole) {
  append("of before\n");
  Tail tail(file_);
  EXPECT_THAT(tail.new_lines(), IsEmpty());
  append("one\ntw");
  EXPECT_THAT(tail.new_lines(), ElementsAre("one"));
  append("o\n\nthree");
  EXPECT_THAT(tail.new_lines(), ElementsAre("two", ""));
  append("\n");
  EXPECT_THAT(tail.new_lines(), ElementsAre("three"));
}

TEST_F(TailTest, WaitsForAFileThatIsNotThereYet) {
  Tail tail(file_);
  EXPECT_THAT(tail.new_lines(), IsEmpty());
  append("one\n");
  EXPECT_THAT(tail.new_lines(), ElementsAre("one"));
}

TEST_F(TailTest, TheLastLineIsTheLastOneWithWords) {
  EXPECT_EQ(last_line(file_), "");
  append("one\ntwo\n\n");
  EXPECT_EQ(last_line(file_), "two");
  append("three");
  EXPECT_EQ(last_line(file_), "three");
  append(std::string(10000, 'x'));
  append("\nlast\n");
  EXPECT_EQ(last_line(file_), "last");
}

}  // namespace
}  // namespace fedvs::cli
