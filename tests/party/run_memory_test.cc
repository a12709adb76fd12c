#include "fedvs/party/run_memory.h"

#include <gmock/gmock.h>

#include "tests/store/scratch_folder.h"

namespace fedvs::party {
namespace {

using ::testing::HasSubstr;

class RunMemoryTest : public ::testing::Test {
 protected:
  static Digest digest(std::string_view name) { return Hasher().add(name).finish(); }
  Status keep(std::string_view run, std::string_view sharings) {  // in a life of its own
    return RunMemory::open(folder_ / "runs.ckpt").value().keep(digest(run), digest(sharings));
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

}  // namespace
}  // namespace fedvs::party
