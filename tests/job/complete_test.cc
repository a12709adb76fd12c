#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fedvs/job/parse.h"
#include "fedvs/job/presets.h"

namespace fedvs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(CompleteJob, NothingSaidGivesFashionMnistTunedAndMasked) {
  const Job job = complete_job({}).value();
  EXPECT_EQ(job.data.name, "fashion-mnist");
  EXPECT_EQ(job.protocol.opening, OpeningKind::kMasked);
  EXPECT_EQ(job.code.ring, "rns4");
}

TEST(CompleteJob, EachSourceOverridesTheOneBefore) {
  // Given a preset with rate .05, a file with .25 and an override with .125,
  JobSource source;
  source.sets = {"data.name=emnist", "preset=paper"};
  // Then the preset beats the built-in default,
  EXPECT_EQ(complete_job(source).value().train.lr, .05);
  // the file beats the preset and leaves the preset's other keys,
  source.toml = "[train]\nlr = 0.25\n";
  EXPECT_EQ(complete_job(source).value().train.lr, .25);
  EXPECT_EQ(complete_job(source).value().train.lr_client, .05);
  // the override beats the file, and the last override the first.
  source.sets.push_back("train.lr=0.5");
  source.sets.push_back("train.lr=0.125");
  EXPECT_EQ(complete_job(source).value().train.lr, .125);
}

TEST(CompleteJob, AFileThatRepeatsABuiltInDefaultStillBeatsThePreset) {
  JobSource source;
  source.toml = "preset = \"paper\"\ntrain.batch_size = 256\ndata.name = \"parkinson\"\n";
  ASSERT_EQ(Job{}.train.batch_size, 256);
  EXPECT_EQ(complete_job(source).value().train.batch_size, 256);
}

TEST(CompleteJob, ADataSetNamedByAnOverrideBringsItsPreset) {
  JobSource source;
  source.toml = "data.name = \"fashion-mnist\"\n";
  source.sets = {"data.name=credit-card"};
  EXPECT_EQ(complete_job(source).value().model.central, "credit");
}

TEST(CompleteJob, TheMethodSetsWhatNobodySaid) {
  JobSource source;
  source.sets = {"method=fedvs-paper"};
  const Job paper = complete_job(source).value();
  EXPECT_EQ(paper.protocol.opening, OpeningKind::kPaper);
  EXPECT_EQ(paper.protocol.late_models, LateModels::kWait);
  EXPECT_EQ(paper.code.ring, "m31");
  source.sets.push_back("protocol.late_models=drop");
  EXPECT_EQ(complete_job(source).value().protocol.late_models, LateModels::kDrop);
}

// The appendix of the paper.
TEST(ApplyPreset, PaperHasTheAppendixsRatesBatchesDegreesAndModels) {
  struct Line {
    const char* data;
    double rate;
    int batch_size, degree;
    const char* central;
  };
  for (const Line& line :
       {Line{"parkinson", .005, 16, 2, "mlp-binary"}, Line{"credit-card", .01, 32, 2, "credit"},
        Line{"fashion-mnist", .05, 256, 1, "mlp"}, Line{"emnist", .05, 256, 2, "mlp"},
        Line{"handwritten", .02, 32, 2, "mlp"}, Line{"caltech7", .01, 8, 2, "mlp"}}) {
    Job job;
    job.data.name = line.data;
    job.preset = Preset::kPaper;
    apply_preset(job);
    EXPECT_EQ(job.train.lr, line.rate) << line.data;
    EXPECT_EQ(job.train.lr_client, line.rate) << line.data;
    EXPECT_EQ(job.train.batch_size, line.batch_size) << line.data;
    EXPECT_THAT(job.model.degrees, ElementsAre(line.degree)) << line.data;
    EXPECT_EQ(job.model.central, line.central) << line.data;
    EXPECT_EQ(job.train.optimizer, "sgd") << line.data;
    EXPECT_EQ(job.train.client_optimizer, "sgd") << line.data;
    EXPECT_TRUE(validate(job)) << line.data;
  }
}

TEST(ApplyPreset, EveryTunedPresetIsValid) {
  for (const char* data :
       {"parkinson", "credit-card", "fashion-mnist", "emnist", "handwritten", "caltech7"}) {
    Job job;
    job.data.name = data;
    apply_preset(job);
    EXPECT_TRUE(validate(job)) << data;
  }
}

struct Conflict {
  std::vector<std::string> sets;
  const char* remedy;
};
class Conflicts : public testing::TestWithParam<Conflict> {};

TEST_P(Conflicts, AreRefusedWithTheRemedy) {
  JobSource source;
  source.sets = GetParam().sets;
  const auto job = complete_job(source);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, ErrorCode::kBadJob);
  EXPECT_THAT(job.error().message, HasSubstr(GetParam().remedy));
}

INSTANTIATE_TEST_SUITE_P(
    Validate, Conflicts,
    testing::Values(Conflict{{"protocol.opening=paper"}, "set code.ring = \"m31\""},
                    Conflict{{"method=fedvs-paper", "code.ring=rns4"},
                             "protocol.opening = \"masked\""},
                    Conflict{{"data.name=csv"}, "set data.path"},
                    Conflict{{"data.name=csv", "data.path=a.csv"}, "data.label"},
                    Conflict{{"data.name=synthetic", "preset=paper"}, "preset = \"tuned\""},
                    Conflict{{"model.central=torchscript"}, "torch.jit.save"},
                    Conflict{{"data.clients=3", "model.degrees=1,2"}, "one per client"},
                    Conflict{{"protocol.on_corrupt=correct"}, "protocol.corrupt_uploads"},
                    Conflict{{"train.patience=2"}, "data.validation_share = 0.1"}));

TEST(Validate, ChecksRangesOfJobsMadeInCode) {
  Job job;
  job.train.batch_size = 1;
  const auto status = validate(job);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "train.batch_size = 1: must be an integer of at least 2");
}

}  // namespace
}  // namespace fedvs
