#include "fedvs/base/abandoned_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fedvs/base/descriptor.h"
#include "fedvs/base/files.h"
#include "tests/store/scratch_folder.h"

namespace fedvs {
namespace {

// The number of a process that has ended.
pid_t nobody() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(AbandonedFiles, OfDeadWritersAreRemovedInAllFoldersBelow) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "state/deeper");
  const auto dead = nobody();
  put(folder / fmt::format("state/a.ckpt.partial-{}-0", dead), "half");
  put(folder / fmt::format("state/deeper/b.partial-{}-17", dead), "half");
  put(folder / fmt::format("c.partial-{}-1", ::getpid()), "of an earlier process of this number");
  put(folder / "state/a.ckpt", "whole");
  EXPECT_EQ(remove_abandoned_files(folder.path()), 3u);
  EXPECT_EQ(contents_of(folder / "state/a.ckpt"), "whole");
  EXPECT_EQ(remove_abandoned_files(folder.path()), 0u);
}

TEST(AbandonedFiles, OfLivingWritersAndOtherFilesStay) {
  const ScratchFolder folder;
  put(folder / fmt::format("a.partial-{}-0", ::getppid()), "of a process that lives");
  const auto locked = folder / fmt::format("b.partial-{}-0", ::getpid());
  put(locked, "being written");
  const Descriptor writer(locked, O_RDWR);
  ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0);
  for (const char* name : {"c.partial-x-1", "d.partial-7", "e.partial-7-", "f.partial", "g"}) {
    put(folder / name, "something else");
  }
  EXPECT_EQ(remove_abandoned_files(folder.path()), 0u);
  EXPECT_EQ(remove_abandoned_files(folder / "none"), 0u);
}

TEST(AbandonedFiles, AreNeverThoseOfAWriterAtWork) {
  const ScratchFolder folder;
  const std::string data(100'000, 'x');
  const pid_t child = ::fork();
  if (child == 0) {
    for (int i = 0; i < 50; ++i) {
      if (!write_atomically(folder / "data", data)) ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) remove_abandoned_files(folder.path());
  EXPECT_EQ(status, 0);
  EXPECT_EQ(contents_of(folder / "data"), data);
}

}  // namespace
}  // namespace fedvs
