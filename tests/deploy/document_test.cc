#include "fedvs/deploy/document.h"

#include <gmock/gmock.h>

#include "tests/store/scratch_folder.h"

namespace fedvs::deploy {
namespace {

using testing::HasSubstr;

TEST(Document, ReadsBackWhatWasWritten) {
  const std::string odd = "a \"quoted\" \\ 'name' # with\ttabs, \x01\x7f and \xC3\xBC";
  DocumentWriter out("A test.", "test");
  out.text("odd", odd);
  out.text("lines", "one \"\"\"\ntwo\\\n\nthree\n");
  out.text("empty", "");
  out.digest("digest", Digest{1, 2, 3});
  out.list("list", {"a", "", odd});
  out.flag("yes", true);
  for (const char* name : {"first", "second"}) {
    out.next("part");
    out.text("name", name);
  }
  const auto in =
      Document::parse(out.written() + signature_block("sig\xFF"), "file", "test").value();
  EXPECT_EQ(in.text("odd").value(), odd);
  EXPECT_EQ(in.text("lines").value(), "one \"\"\"\ntwo\\\n\nthree\n");
  EXPECT_EQ(in.text("empty").value(), "");
  EXPECT_EQ(in.digest("digest").value(), (Digest{1, 2, 3}));
  EXPECT_THAT(in.list("list").value(), testing::ElementsAre("a", "", odd));
  EXPECT_TRUE(in.flag("yes").value());
  ASSERT_EQ(in.array("part").size(), 2u);
  EXPECT_EQ(in.array("part")[1].text("name").value(), "second");
  EXPECT_EQ(in.signature().value(), "sig\xFF");
}

TEST(Document, SaysWhatAFileIsIfItIsNotWhatIsNeeded) {
  const DocumentWriter other("A test.", "request");
  const auto wrong = Document::parse(other.written(), "x.toml", "roster");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kRefused);
  EXPECT_EQ(wrong.error().message, "x.toml: this is request 1, and roster 1 is needed here");
  EXPECT_THAT(Document::parse("a = 1", "x", "roster").error().message,
              HasSubstr("no file of FedVS"));
  EXPECT_THAT(Document::parse("fedvs = \"roster 2\"", "x", "roster").error().message,
              HasSubstr("this is roster 2"));
}

TEST(Document, NamesTheKeyThatIsMissingOrOfAnotherType) {
  const auto in = Document::parse(
                      "fedvs = \"test 1\"\nnumber = 1\nlist = [1]\ndigest = \"12\"\n"
                      "signature = 3\npart = [1]",
                      "x.toml", "test")
                      .value();
  EXPECT_THAT(in.text("name").error().message, HasSubstr("x.toml: name"));
  EXPECT_THAT(in.text("number").error().message, HasSubstr("number"));
  EXPECT_FALSE(in.list("list"));
  EXPECT_FALSE(in.list("number"));
  EXPECT_FALSE(in.flag("number"));
  EXPECT_FALSE(in.digest("digest"));
  EXPECT_FALSE(in.signature());
  EXPECT_THAT(in.array("part").at(0).text("name").error().message, HasSubstr("part 1: name"));
  EXPECT_TRUE(in.array("number").empty());
}

TEST(Document, AnyPrefixIsRefusedOrIncompleteButNeverACrash) {
  DocumentWriter out("A test.", "test");
  out.text("lines", "one\ntwo\n");
  out.list("list", {"a", "b"});
  const std::string text = out.written() + signature_block("abc");
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto in = Document::parse(text.substr(0, size), "file", "test");
    const bool whole = in && in->signature();
    EXPECT_TRUE(!whole || size + 2 >= text.size()) << size;
  }
}

TEST(Document, LineEndsOfWindowsDoNotMatter) {
  const ScratchFolder scratch;
  put(scratch / "mailed", "fedvs = \"test 1\"\r\ntext = \"\"\"\r\na\r\nb\"\"\"\r\n");
  const auto text = read_document(scratch / "mailed").value();
  EXPECT_EQ(Document::parse(text, "mailed", "test")->text("text").value(), "a\nb");
}

TEST(Document, IsNotReadIfItIsHuge) {
  const ScratchFolder scratch;
  put(scratch / "huge", "");
  std::filesystem::resize_file(scratch / "huge", (16 << 20) + 1);
  EXPECT_EQ(read_document(scratch / "huge").error().code, ErrorCode::kRefused);
}

}  // namespace
}  // namespace fedvs::deploy
