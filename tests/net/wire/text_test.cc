#include "fedvs/net/wire/text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/properties.h"

namespace fedvs::wire {
namespace {

TEST(Printable, PlainTextStaysAsItIs) {
  EXPECT_EQ(printable("Zürich 日本 😀", 100), "Zürich 日本 😀");
  EXPECT_EQ(printable("", 100), "");
}

TEST(Printable, ControlCharactersAndWhatIsNotUtf8BecomeQuestionMarks) {
  EXPECT_EQ(printable("a\nb\x1b[0m\x7f", 100), "a?b?[0m?");
  EXPECT_EQ(printable("\xc2\x9b", 100), "?");             // CSI in one character
  EXPECT_EQ(printable("\xc0\xaf|\xff", 100), "??|?");     // overlong
  EXPECT_EQ(printable("\xed\xa0\x80", 100), "???");       // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80", 100), "????");  // beyond the last
  EXPECT_EQ(printable("\xe0\x80\xaf", 100), "???");
  EXPECT_EQ(printable("cut \xe6\x97", 100), "cut ??");
}

TEST(Printable, IsCutBetweenCharacters) {
  EXPECT_EQ(printable("aü", 2), "a");
  EXPECT_EQ(printable("aü", 3), "aü");
}

// nlohmann::json refuses to write text that is not UTF-8: a reader that we did not write.
RC_GTEST_PROP(Printable, AnyBytesBecomeTextThatJsonTakes, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  const std::string text = printable(bytes, 64);
  RC_ASSERT(text.size() <= 64u);
  RC_ASSERT(printable(text, 64) == text);
  RC_ASSERT(nlohmann::json::parse(nlohmann::json(text).dump()).get<std::string>() == text);
}

}  // namespace
}  // namespace fedvs::wire
