#include "fedvs/experiments/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fedvs/experiments/folder_lock.h"
#include "fedvs/job/parse.h"
#include "fedvs/job/print.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::experiments {
namespace {

using testing::HasSubstr;

class StudyFolder : public testing::Test {
 protected:
  static Plan plan(const std::string& key, const std::string& epochs) {
    Plan plan;
    plan.study = {"reproduction", "a study", {}};
    Line line{"fedvs", {}};
    plan.add_run(line, complete_job({.toml = {}, .sets = {"train.epochs=" + epochs}}).value());
    plan.study.figures = {{key, key, {{key, key, {line}}}}};
    return plan;
  }
  void expect_refused(const Plan& wanted, const std::string& program,
                      const std::vector<std::string>& says) {
    const auto refused = folder_.prepare(wanted, program);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kRefused);
    for (const auto& word : says) EXPECT_THAT(refused.error().message, HasSubstr(word));
    EXPECT_THAT(refused.error().message, HasSubstr("--out DIR"));
  }

  ScratchFolder scratch_;
  const Folder folder_{scratch_ / "study"};
};

TEST_F(StudyFolder, IsReadAsItWasPrepared) {
  const Plan wanted = plan("fig1", "3");
  ASSERT_TRUE(folder_.prepare(wanted, "fedvs 1"));
  const auto read = folder_.read();
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read), to_json(wanted.study));
}

TEST_F(StudyFolder, KeepsTheFiguresOfBeforeAndReplacesThoseOfTheSameName) {
  ASSERT_TRUE(folder_.prepare(plan("fig1", "3"), "fedvs 1"));
  ASSERT_TRUE(folder_.prepare(plan("fig2", "3"), "fedvs 1"));
  const Plan again = plan("fig1", "4");
  const auto both = folder_.prepare(again, "fedvs 1");
  ASSERT_TRUE(both);
  ASSERT_EQ(both->figures.size(), 2u);
  EXPECT_EQ(both->figures[0].panels[0].lines[0].runs,
            again.study.figures[0].panels[0].lines[0].runs);
  EXPECT_EQ(both->figures[1].key, "fig2");
}

TEST_F(StudyFolder, OfAnotherProgramIsRefusedAndLeftAsItWas) {
  ASSERT_TRUE(folder_.prepare(plan("fig1", "3"), "fedvs 1"));
  const std::string before = contents_of(folder_.study_file());
  expect_refused(plan("fig2", "3"), "fedvs 2", {"study.json", "\"fedvs 1\"", "\"fedvs 2\""});
  EXPECT_EQ(contents_of(folder_.study_file()), before);
}

TEST_F(StudyFolder, OfAnotherFormatOrOtherDefaultsIsRefused) {
  ASSERT_TRUE(folder_.prepare(plan("fig1", "3"), "fedvs 1"));
  const auto good = nlohmann::json::parse(contents_of(folder_.study_file()));
  auto other = good;
  other["format"] = 2;
  put(folder_.study_file(), other.dump());
  expect_refused(plan("fig1", "3"), "fedvs 1", {"has format 2"});
  EXPECT_FALSE(folder_.read());
  other = good;
  other["defaults"] = "abc";
  put(folder_.study_file(), other.dump());
  expect_refused(plan("fig1", "3"), "fedvs 1", {"another build"});
  put(folder_.study_file(), "{\"form");
  expect_refused(plan("fig1", "3"), "fedvs 1", {"no JSON object"});
}

TEST_F(StudyFolder, OfAnotherKindOrWithOtherFilesIsRefused) {
  ASSERT_TRUE(folder_.prepare(plan("fig1", "3"), "fedvs 1"));
  Plan comparison = plan("compare", "3");
  comparison.study.kind = "comparison";
  expect_refused(comparison, "fedvs 1", {"is of a reproduction, not of a comparison"});
  std::filesystem::remove(folder_.study_file());
  put(folder_.job_file("mine"), "");
  expect_refused(plan("fig1", "3"), "fedvs 1", {"something else"});
}

TEST_F(StudyFolder, WithALockAndNothingElseIsTaken) {
  { ASSERT_TRUE(FolderLock::take(folder_)); }
  EXPECT_TRUE(folder_.prepare(plan("fig1", "3"), "fedvs 1"));
}

TEST_F(StudyFolder, IsLockedByOneAtATime) {
  {
    const auto first = FolderLock::take(folder_);
    ASSERT_TRUE(first);
    const auto second = FolderLock::take(folder_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kRefused);
  }
  EXPECT_TRUE(FolderLock::take(folder_));
}

TEST_F(StudyFolder, ThatCannotBeLookedAtIsAnErrorAndNoException) {
  const Folder endless(scratch_ / std::string(5000, 'x'));  // longer than names may be
  const auto refused = endless.prepare(plan("fig1", "3"), "fedvs 1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadFile);
}

TEST_F(StudyFolder, WithAnotherJobUnderTheNameOfARunIsRefused) {
  const Plan wanted = plan("fig1", "3");
  ASSERT_TRUE(folder_.prepare(wanted, "fedvs 1"));
  const auto file = folder_.job_file(wanted.trials[0].name);
  put(file, print_job(wanted.trials[0].job));
  ASSERT_TRUE(folder_.prepare(wanted, "fedvs 1"));
  put(file, print_job(plan("fig1", "4").trials[0].job));
  expect_refused(wanted, "fedvs 1", {file.string(), "another job"});
  put(file, "nonsense");
  expect_refused(wanted, "fedvs 1", {file.string()});
}

}  // namespace
}  // namespace fedvs::experiments
