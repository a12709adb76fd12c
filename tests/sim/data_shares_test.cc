// Coded rows made again for a batch are the shares that clients would have been sent and kept.
#include <gmock/gmock.h>

#include "tests/store/scratch_folder.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_path.h"
#include "tests/support/world_fixture.h"

namespace fedvs {
namespace {

using testing::Sets;

std::unique_ptr<testing::Trial> set_up(const std::string& data_shares, const Sets& more) {
  auto trial = testing::make_world(
      testing::joined({"sim.delays=none", "sim.data_shares=" + data_shares}, more));
  trial->run([&] { return trial->world->server().training_started(); });
  return trial;
}

// Client `client`'s rows `rows` of everybody, in a world that may have to make them.
field::RingMatrix gathered(testing::Trial& trial, int client, data::Part part,
                           const std::vector<std::size_t>& rows) {
  const auto& agreement = trial.world->agreement();
  field::RingMatrix scratch(agreement.ring, rows.size(), agreement.total_padded_inputs());
  if (trial.world->batches() != nullptr) trial.world->batches()->load(part, rows, {client});
  const auto& of_client = trial.world->clients()[static_cast<std::size_t>(client)]->rows();
  return of_client.gather(part, rows, scratch).clone();
}

class DataShares : public ::testing::TestWithParam<Sets> {};

TEST_P(DataShares, RemadeRowsAreTheKeptOnes) {
  auto kept = set_up("kept", GetParam()), remade = set_up("remade", GetParam());
  for (data::Part part : {data::Part::kTrain, data::Part::kTest}) {
    const std::size_t last = kept->world->agreement().coded_rows(part) - 1;
    for (const auto& rows : {std::vector<std::size_t>{last, 0, 3}, std::vector<std::size_t>{1}}) {
      for (int client = 0; client < 9; ++client) {
        const auto expected = gathered(*kept, client, part, rows);
        EXPECT_TRUE(gathered(*remade, client, part, rows) == expected) << client;
        EXPECT_THAT(expected.bytes(), ::testing::Contains(::testing::Ne(0)));
      }
    }
  }
}

TEST_P(DataShares, ARunDoesNotDependOnThem) {
  const Sets kept = testing::joined(GetParam(), {"sim.data_shares=kept"});
  EXPECT_EQ(testing::run_world(kept)->recorder.losses(),
            testing::run_world(GetParam())->recorder.losses());
}

INSTANTIATE_TEST_SUITE_P(Jobs, DataShares,
                         ::testing::Values(Sets{},
                                           Sets{"data.rows=176"},  // no part is K whole segments
                                           Sets{"code.ring=m31", "model.degrees=[2]"},
                                           Sets{"code.K=1", "code.T=3", "code.ring=rns5"}));

TEST(KeptShares, AreInFilesWithoutANameWhileTheRunLasts) {
  const ScratchFolder scratch;
  const testing::TemporaryPath tmpdir(scratch.path());
  const auto kept = set_up("kept", {});
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(KeptShares, ThatDoNotFitTheDiskEndTheRunBeforeItStarts) {
  const ScratchFolder scratch;
  const testing::TemporaryPath tmpdir(scratch.path());
  const Job job = testing::small_job({"sim.data_shares=kept"});
  testing::Recorder recorder;
  const testing::FileSizeLimit full_disk(1000);
  const auto world = sim::World::create(job, testing::prepared(job), recorder);
  ASSERT_FALSE(world);
  EXPECT_EQ(world.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(world.error().message,
              ::testing::AllOf(::testing::HasSubstr(scratch.path().string()),
                               ::testing::HasSubstr("TMPDIR"),
                               ::testing::HasSubstr("sim.data_shares = \"remade\"")));
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

}  // namespace
}  // namespace fedvs
