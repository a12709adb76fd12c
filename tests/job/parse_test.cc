#include "fedvs/job/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fedvs {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string complaint_about(std::string_view toml) {
  const auto job = parse_job(toml, "my.toml");
  if (job) return "accepted";
  EXPECT_EQ(job.error().code, ErrorCode::kBadJob);
  return job.error().message;
}

std::string complaint_about_set(std::string_view assignment) {
  Job job;
  const auto status = set_key(job, assignment);
  return status ? "accepted" : status.error().message;
}

TEST(ParseJob, AnEmptyFileGivesTheBuiltInDefaults) {
  const Job job = parse_job("", "my.toml").value();
  EXPECT_EQ(job.train.epochs, Job{}.train.epochs);
  EXPECT_EQ(job.data.name, "fashion-mnist");
}

TEST(ParseJob, ReadsKeysOfEveryType) {
  const Job job = parse_job(R"(
method = "fedvs-paper"
[data]
categorical = ["sex", "job"]
split_seed = 4294967296
[model]
degrees = [1, 2]
[train]
epochs = 3
lr = 1
[code]
K = 4)",
                            "my.toml")
                      .value();
  EXPECT_EQ(job.method, Method::kFedvsPaper);
  EXPECT_THAT(job.data.categorical, ElementsAre("sex", "job"));
  EXPECT_EQ(job.data.split_seed, 4294967296);
  EXPECT_THAT(job.model.degrees, ElementsAre(1, 2));
  EXPECT_EQ(job.train.epochs, 3);
  EXPECT_EQ(job.train.lr, 1.0);
  EXPECT_EQ(job.code.blocks, 4);
}

TEST(ParseJob, ASingleDegreeNeedsNoList) {
  EXPECT_THAT(parse_job("model.degrees = 2", "my.toml").value().model.degrees, ElementsAre(2));
}

TEST(ParseJob, AutoIsAskedForByNameAndNotByZero) {
  const Job job = parse_job("[code]\nK = \"auto\"\nl_x = \"auto\"\n", "my.toml").value();
  EXPECT_EQ(job.code.blocks, 0);
  EXPECT_EQ(job.code.l_x, 0);
  EXPECT_THAT(complaint_about("code.K = 0"), HasSubstr("at least 1 or \"auto\""));
  EXPECT_THAT(complaint_about("code.T = \"auto\""), HasSubstr("must be an integer of at least 1"));
}

// Runs of earlier versions have it in their job.toml, and can still be read.
TEST(ParseJob, TheRetiredStockOfMasksIsReadFromFilesAndNotSet) {
  EXPECT_TRUE(parse_job("[protocol]\nmask_stock = 2", "my.toml"));
  EXPECT_THAT(complaint_about_set("protocol.mask_stock=2"),
              HasSubstr("unknown key protocol.mask_stock"));
}

TEST(ParseJob, AnUnknownKeySuggestsTheNearestAndNamesTheLine) {
  EXPECT_EQ(complaint_about("[train]\nepochs = 2\nbatchsize = 3\n"),
            "my.toml:3: unknown key train.batchsize; did you mean train.batch_size?");
}

TEST(ParseJob, AKeyInTheWrongOrAMisspeltTableSuggestsTheRightOne) {
  EXPECT_THAT(complaint_about("epochs = 2"), HasSubstr("did you mean train.epochs?"));
  EXPECT_THAT(complaint_about("[trian]\nlr = 2"), HasSubstr("did you mean train.lr?"));
  EXPECT_THAT(complaint_about("[nonsense]"), HasSubstr("unknown key nonsense"));
}

TEST(ParseJob, AKeyLikeNothingPointsToTheList) {
  EXPECT_THAT(complaint_about("[zzz]\nqqqqqqqqqq = 2"), HasSubstr("--print-job"));
}

TEST(ParseJob, AValueInPlaceOfATableSaysHowToWriteIt) {
  EXPECT_THAT(complaint_about("train = 3"), HasSubstr("write [train]"));
}

TEST(ParseJob, AWrongTypeNamesKeyValueLineAndWhatIsAllowed) {
  EXPECT_EQ(complaint_about("\n[train]\nepochs = \"ten\"\n"),
            "my.toml:3: train.epochs = 'ten': must be an integer of at least 1");
  for (const char* toml :
       {"train.epochs = 1.5", "train.epochs = true", "train.epochs = 2020-01-01",
        "train.epochs = [1]", "train.epochs.x = 1", "data.path = 3", "data.categorical = \"a\"",
        "data.categorical = [\"a\", 1]", "model.degrees = [1.5]", "model.degrees = []",
        "train.lr = \"fast\"", "method = 1"}) {
    EXPECT_THAT(complaint_about(toml), AllOf(HasSubstr("my.toml:1: "), HasSubstr("must be")))
        << toml;
  }
}

TEST(ParseJob, AValueOutOfRangeIsRefused) {
  for (const char* toml :
       {"train.epochs = 0", "train.epochs = -1", "train.epochs = 3000000000",
        "train.batch_size = 1", "train.lr = 0", "train.lr = -0.1", "train.lr = nan",
        "train.lr = inf", "train.momentum = 1", "train.lr_decay = 1.1", "data.test_share = 1",
        "data.validation_share = 1.0", "data.validation_share = -0.1", "protocol.max_age = 0",
        "protocol.max_catch_up = 0", "code.K = -1", "code.l_x = 31", "model.degrees = [1, 0]",
        "sim.seed = -1"}) {
    EXPECT_THAT(complaint_about(toml), AllOf(HasSubstr("my.toml:1: "), HasSubstr("must be")))
        << toml;
  }
}

TEST(ParseJob, TheEdgesOfRangesAreAccepted) {
  for (const char* toml :
       {"train.epochs = 1", "train.batch_size = 2", "train.momentum = 0", "train.lr_decay = 1",
        "data.validation_share = 0", "protocol.max_age = 1", "protocol.max_catch_up = 1",
        "code.l_x = 30", "sim.seed = 0", "sim.seed = 9223372036854775807",
        "train.epochs = 2147483647"}) {
    EXPECT_EQ(complaint_about(toml), "accepted") << toml;
  }
}

TEST(ParseJob, AWrongChoiceListsTheChoicesAndSuggestsOne) {
  EXPECT_THAT(complaint_about("train.optimizer = \"adm\""),
              HasSubstr("must be one of sgd, momentum, adam; did you mean \"adam\"?"));
  EXPECT_THAT(complaint_about("code.ring = \"rns9\""), HasSubstr("m31, rns4, rns5"));
}

TEST(ParseJob, WhatIsNotTomlNamesTheLine) {
  EXPECT_THAT(complaint_about("[train]\nlr = \n"), HasSubstr("my.toml:2: not TOML"));
}

TEST(SetKey, UnderstandsBareWordsListsAndToml) {
  Job job;
  for (const char* assignment :
       {"train.epochs=7", "train.lr = 0.5", "data.name=csv", "data.path=\"a b.csv\"",
        "data.ignore=id,name", "data.categorical=[\"a,b\"]", "model.degrees=1,2,3",
        "model.hidden=[8]", "code.K=auto", "data.label=x=y"}) {
    ASSERT_TRUE(set_key(job, assignment)) << assignment;
  }
  EXPECT_EQ(job.train.epochs, 7);
  EXPECT_EQ(job.train.lr, 0.5);
  EXPECT_EQ(job.data.name, "csv");
  EXPECT_EQ(job.data.path, "a b.csv");
  EXPECT_THAT(job.data.ignore, ElementsAre("id", "name"));
  EXPECT_THAT(job.data.categorical, ElementsAre("a,b"));
  EXPECT_THAT(job.model.degrees, ElementsAre(1, 2, 3));
  EXPECT_THAT(job.model.hidden, ElementsAre(8));
  EXPECT_EQ(job.code.blocks, 0);
  EXPECT_EQ(job.data.label, "x=y");
}

TEST(SetKey, AnEmptyValueClearsStringsAndLists) {
  Job job;
  job.data.path = "x";
  job.data.ignore = {"y"};
  ASSERT_TRUE(set_key(job, "data.path="));
  ASSERT_TRUE(set_key(job, "data.ignore="));
  EXPECT_EQ(job.data.path, "");
  EXPECT_TRUE(job.data.ignore.empty());
}

TEST(SetKey, ARefusedValueLeavesTheJobAsItWas) {
  Job job;
  EXPECT_FALSE(set_key(job, "train.epochs=0"));
  EXPECT_EQ(job.train.epochs, Job{}.train.epochs);
}

TEST(SetKey, MistakesAreNamed) {
  EXPECT_THAT(complaint_about_set("train.epochs"), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(complaint_about_set("=3"), HasSubstr("KEY=VALUE"));
  EXPECT_EQ(complaint_about_set("train.epocs=3"),
            "--set: unknown key train.epocs; did you mean train.epochs?");
  EXPECT_EQ(complaint_about_set("train.epochs=many"),
            "--set: train.epochs = many: must be an integer of at least 1");
  EXPECT_THAT(complaint_about_set("train.epochs=3\ntrain.lr=1"), HasSubstr("must be"));
  EXPECT_THAT(complaint_about_set("train.epochs="), HasSubstr("must be"));
}

TEST(JobEdits, KnowsWhatWasSetExplicitly) {
  JobEdits edits;
  ASSERT_TRUE(edits.add_toml("train.lr = 0.001", "my.toml"));
  ASSERT_TRUE(edits.add_override("code.K=2"));
  EXPECT_TRUE(edits.sets("train.lr"));
  EXPECT_TRUE(edits.sets("code.K"));
  EXPECT_FALSE(edits.sets("train.epochs"));
}

}  // namespace
}  // namespace fedvs
