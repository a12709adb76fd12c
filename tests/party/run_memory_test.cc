#include "fedvs/party/run_memory.h"

#include <gmock/gmock.h>

#include "tests/store/scratch_folder.h"

namespace fedvs::party {
namespace {

using ::testing::HasSubstr;

class RunMemoryTest : public ::testing::Test {
 protected:
  static Digest digest(std::string_view name) { return Hasher().add(name).finish(); }
  // In a life of its own.
  Status keep(std::string_view run, std::string_view sharings,
              RunMemory::Whose whose = RunMemory::Whose::kEverybodys) {
    auto memory = RunMemory::open(folder_ / "runs.ckpt").value();
    return memory.keep(digest(run), whose, digest(sharings));
  }
  ScratchFolder folder_;
};

TEST_F(RunMemoryTest, ARunIsTrainedOverTheSameSharingsOrNotAgain) {
  ASSERT_TRUE(keep("first", "sharings"));
  ASSERT_TRUE(keep("second", "others"));
  EXPECT_TRUE(keep("first", "sharings")) << "a client that has lost its state";
  EXPECT_THAT(keep("first", "others").error().message, HasSubstr("offers a run again"));
  EXPECT_TRUE(keep("second", "others"));
}

TEST_F(RunMemoryTest, ItsOwnSharingIsKeptBesideEverybodys) {
  ASSERT_TRUE(keep("run", "own", RunMemory::Whose::kOwn));
  ASSERT_TRUE(keep("run", "all"));
  EXPECT_TRUE(keep("run", "own", RunMemory::Whose::kOwn));
  EXPECT_FALSE(keep("run", "another", RunMemory::Whose::kOwn));
  EXPECT_FALSE(keep("run", "own"));
}

}  // namespace
}  // namespace fedvs::party
