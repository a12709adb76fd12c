#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/central_fixture.h"
#include "tests/model/python_fixture.h"

namespace fedvs::model {
namespace {

using testing::HasSubstr;

// Modules that Python makes when the first test needs them.
struct CentralTorchScript : testing::Test {
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override {
    FEDVS_NEEDS_PYTHON_TORCH();
    if (folder_) return;
    folder_ = std::make_unique<TemporaryFolder>("modules");
    ASSERT_TRUE(run_python("make_modules.py", folder_->path()));
  }
  static Job job(const std::string& file) {
    Job job = job_for("torchscript");
    job.model.torchscript = (folder_->path() / file).string();
    return job;
  }
  static void expect_refused(const std::string& file, int classes, const char* what) {
    const Error error = error_of(job(file), classes);
    EXPECT_EQ(error.code, ErrorCode::kBadJob);
    EXPECT_THAT(error.message, HasSubstr(file));
    EXPECT_THAT(error.message, HasSubstr(what));
    EXPECT_THAT(error.message, testing::Not(HasSubstr("\n")));
  }
  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(CentralTorchScript, TrainsModulesOfPythonFurther) {
  for (const auto& [file, classes] : {std::pair{"logits.pt", 3},
                                      {"log_probabilities.pt", 3},
                                      {"probability.pt", 2},
                                      {"tied.pt", 3}}) {
    auto model = central_for(job(file), classes);
    const Toy test = make_toy(500, classes, 7);
    const double before = accuracy(*model, test, classes);
    train(*model, classes, 0, 400);
    const double after = accuracy(*model, test, classes);
    EXPECT_GT(after, 0.85) << file;
    EXPECT_GT(after, before + 0.1) << file;
  }
}

TEST_F(CentralTorchScript, ContinuesBitForBitAfterSaveAndLoadWithDropoutAndBuffers) {
  for (const char* file : {"logits.pt", "tied.pt"}) {
    auto first = central_for(job(file), 3);
    train(*first, 3, 0, 10);
    first->predict(make_toy(4, 3, 1).embeddings);
    auto second = central_for(job(file), 3);
    ASSERT_TRUE(second->load(first->save()));
    EXPECT_EQ(train(*second, 3, 10, 20), train(*first, 3, 10, 20)) << file;
    EXPECT_EQ(second->save(), first->save()) << file;
  }
}

TEST_F(CentralTorchScript, CountsTiedWeightsOnce) {
  EXPECT_EQ(central_for(job("tied.pt"), 3)->forward_macs_per_row(), 6 * 6 + 6 * 3);
}

TEST_F(CentralTorchScript, RefusesModulesThatCannotWorkAndSaysWhy) {
  expect_refused("seven.pt", 3, "the module has 7 outputs and the data 3 classes");
  expect_refused("probability.pt", 3, "the module has 1 outputs and the data 3 classes");
  expect_refused("one_logit.pt", 2, "end it with a Sigmoid");
  expect_refused("narrow.pt", 3, "cannot be run on rows of model.width = 6 numbers");
  expect_refused("nothing.pt", 6, "no parameters to train");
  expect_refused("double.pt", 3, "is not float32");
  expect_refused("not_a_module.pt", 3, "cannot be read as TorchScript");
  expect_refused("missing.pt", 3, "cannot be read as TorchScript");
}

TEST(CentralTorchScriptJob, NeedsAFile) {
  const Error error = error_of(job_for("torchscript"), 3);
  EXPECT_EQ(error.code, ErrorCode::kBadJob);
  EXPECT_THAT(error.message, HasSubstr("needs the file of a module"));
}

}  // namespace
}  // namespace fedvs::model
