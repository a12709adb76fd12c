#include "fedvs/experiments/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "fedvs/base/files.h"
#include "fedvs/base/temporary_folder.h"

namespace fedvs::experiments {
namespace {

TEST(Child, KeepsItsWordsAndItsStatus) {
  auto child = Child::start("/bin/sh", {"-c", "echo out; echo err >&2; exit 7"});
  ASSERT_TRUE(child);
  while (!child->ended()) std::this_thread::yield();
  EXPECT_EQ(child->exit_status(), 7);
  EXPECT_EQ(child->out(), "out\n");
  EXPECT_EQ(child->err(), "err\n");
}

TEST(Child, AppendsItsWordsToFiles) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const WordFiles files{folder->path() / "out", folder->path() / "err"};
  for (const char* word : {"one", "two"}) {
    auto child = Child::start("/bin/sh", {"-c", "echo $0; echo not $0 >&2", word}, files);
    ASSERT_TRUE(child);
    while (!child->ended()) std::this_thread::yield();
    EXPECT_EQ(child->exit_status(), 0);
  }
  EXPECT_EQ(read_file(files.out).value(), "one\ntwo\n");
  EXPECT_EQ(read_file(files.err).value(), "not one\nnot two\n");
}

TEST(Child, IsNotStartedWhereItsWordsCannotBeKept) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const auto child =
      Child::start("/bin/true", {}, {folder->path() / "out", folder->path() / "a/b"});
  ASSERT_FALSE(child);
  EXPECT_THAT(child.error().message, testing::HasSubstr("a/b"));
}

#ifndef __SANITIZE_ADDRESS__  // sanitizers open files themselves, to look whether memory is there
// At most `count` files more than are open now, while the object lives.
class FileLimit {
 public:
  explicit FileLimit(int count) {
    const int next = ::dup(STDIN_FILENO);  // the lowest number that is free
    ::close(next);
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit low{.rlim_cur = static_cast<rlim_t>(next + count), .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &low);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(Child, ThatCannotBeStartedLeavesNoFileOpen) {
  const FileLimit one(1);  // and two are wanted
  for (int i = 0; i < 3; ++i) {
    const auto child = Child::start("/bin/true", {});
    ASSERT_FALSE(child);
    EXPECT_THAT(child.error().message, testing::HasSubstr("cannot start /bin/true"));
  }
  const int next = ::dup(STDIN_FILENO);  // the one is free again
  EXPECT_GE(next, 0);
  ::close(next);
}
#endif

}  // namespace
}  // namespace fedvs::experiments
