#include "fedvs/data/catalog.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>

#include "tests/data/temp_folder.h"

namespace fedvs::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Points FEDVS_DATA elsewhere for one test.
class DataFolder {
 public:
  explicit DataFolder(const std::optional<std::string>& folder) {
    if (const char* old = std::getenv("FEDVS_DATA")) old_ = old;
    set(folder);
  }
  ~DataFolder() { set(old_); }

 private:
  static void set(const std::optional<std::string>& folder) {
    if (folder)
      setenv("FEDVS_DATA", folder->c_str(), 1);
    else
      unsetenv("FEDVS_DATA");
  }
  std::optional<std::string> old_;
};

DataJob job_of(const std::string& name) {
  DataJob job;
  job.name = name;
  return job;
}

TEST(Catalog, SuggestsTheNearestDataSet) {
  const auto set = load(job_of("fashon-mnist"));
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, ErrorCode::kBadJob);
  EXPECT_THAT(set.error().message,
              AllOf(HasSubstr("\"fashon-mnist\""), HasSubstr("did you mean \"fashion-mnist\"?")));
}

TEST(Catalog, SaysWhichVariableToSetWhenItIsNot) {
  const DataFolder unset(std::nullopt);
  EXPECT_THAT(load(job_of("parkinson")).error().message,
              AllOf(HasSubstr("pd_speech_features.csv.gz"), HasSubstr("FEDVS_DATA is not set"),
                    HasSubstr("folder that holds parkinson/")));
}

TEST(Catalog, SaysWhereItLookedForAMissingFile) {
  const TempFolder folder;
  folder.write("fashion-mnist/train-images-idx3-ubyte.gz", "");
  const DataFolder elsewhere(folder.path(""));
  EXPECT_THAT(load(job_of("handwritten")).error().message,
              AllOf(HasSubstr("mfeat-pix.csv.gz is not in " + folder.path("handwritten"))));
  // Fashion-MNIST: a folder of one's own goes before the package's.
  EXPECT_THAT(
      load(job_of("fashion-mnist")).error().message,
      AllOf(HasSubstr("train-labels-idx1-ubyte.gz is not in " + folder.path("fashion-mnist")),
            HasSubstr("apt-get install dataset-fashion-mnist")));
}

TEST(Catalog, CheckTellsMissingFromWrongFiles) {
  const TempFolder folder;
  folder.write("handwritten/mfeat-pix.csv.gz", "not it");
  const DataFolder elsewhere(folder.path(""));
  const CheckReport report = check("handwritten").value();
  EXPECT_FALSE(report.ok());
  EXPECT_TRUE(report.files[0].found);
  EXPECT_THAT(report.files[0].problem, HasSubstr("6 bytes, expected 103763"));
  EXPECT_FALSE(report.files[1].found);
  EXPECT_THAT(report.text(),
              AllOf(HasSubstr("NOT as it should be"), HasSubstr("mfeat-fou.csv.gz")));
}

TEST(Catalog, CheckFindsAFileOfTheRightSizeWithWrongBytes) {
  const TempFolder folder;
  folder.write("credit-card/UCI_Credit_Card.csv.gz", std::string(979921, 'x'));
  const DataFolder elsewhere(folder.path(""));
  EXPECT_THAT(check("credit-card").value().files[0].problem,
              AllOf(HasSubstr("sha256"), HasSubstr("expected 3b1c8e69fc71fb19")));
}

TEST(Catalog, DescribesASetWhoseFilesAreMissing) {
  const DataFolder unset(std::nullopt);
  EXPECT_THAT(describe("caltech7").value(),
              AllOf(HasSubstr("CC BY 4.0"), HasSubstr("1474 rows"), HasSubstr("6 clients"),
                    HasSubstr("FEDVS_DATA is not set")));
  EXPECT_FALSE(describe("caltech8"));
}

// A small Fashion-MNIST: 3 training and 2 test images of 2 x 2.
void write_images(const TempFolder& folder, const std::string& train_labels) {
  const auto name = [](const std::string& file) { return "fashion-mnist/" + file; };
  folder.write(name("train-images-idx3-ubyte.gz"), idx_bytes({0x803, 3, 2, 2}, "abcdefghijkl"));
  folder.write(name("train-labels-idx1-ubyte.gz"), idx_bytes({0x801, 3}, train_labels));
  folder.write(name("t10k-images-idx3-ubyte.gz"), idx_bytes({0x803, 2, 2, 2}, "mnopqrst"));
  folder.write(name("t10k-labels-idx1-ubyte.gz"), idx_bytes({0x801, 2}, {'\1', '\2'}));
}

TEST(Catalog, PutsPublishedTestImagesLast) {
  const TempFolder folder;
  write_images(folder, {'\7', '\0', '\3'});
  const DataFolder elsewhere(folder.path(""));
  DataJob job = job_of("fashion-mnist");
  job.clients = 3;
  const Dataset set = load(job).value();
  EXPECT_EQ(set.test_from, 3u);
  EXPECT_THAT(set.labels, testing::ElementsAre(7, 0, 3, 1, 2));
  EXPECT_EQ(set.features.row(3)[0], static_cast<float>('m'));
  EXPECT_THAT(set.client_columns,
              testing::ElementsAre(testing::ElementsAre(0, 1), testing::ElementsAre(2),
                                   testing::ElementsAre(3)));
  EXPECT_THAT(check("fashion-mnist").value().shape_problem, HasSubstr("only 4 feature columns"));
}

TEST(Catalog, RefusesALabelBeyondTheClasses) {
  const TempFolder folder;
  write_images(folder, {'\7', '\12', '\3'});
  const DataFolder elsewhere(folder.path(""));
  EXPECT_THAT(load(job_of("fashion-mnist")).error().message,
              AllOf(HasSubstr("train-labels"), HasSubstr("label 10 is not below the 10 classes")));
}

}  // namespace
}  // namespace fedvs::data
