// Rows for a finished training to score.
#include <gmock/gmock.h>

#include "fedvs/data/party_rows.h"
#include "tests/data/temp_folder.h"

namespace fedvs::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class NewRows : public testing::Test {
 protected:
  Result<PartyRows> read(const std::string& csv, const std::string& missing = "error") const {
    PartyCsv options;
    options.categorical = {"city", "of another party"};
    options.missing = missing;
    options.of_all_parties = true;
    return read_new_party_csv(folder_.write("new.csv", csv), options, columns_, means_);
  }
  Result<NewLabels> read_labels(const std::string& csv, const LabelCsv& options = {}) const {
    return read_new_label_csv(folder_.write("ids.csv", csv), options, {"ham", "spam"});
  }
  template <class T>
  static std::string error(const Result<T>& result) {
    return result ? "no error" : result.error().message;
  }
  const std::vector<std::string> columns_ = {"age", "city=Bern", "city=Rome"};
  const std::vector<double> means_ = {50, 0.25, 0.75};
  TempFolder folder_;
};

TEST_F(NewRows, HaveTheFeaturesOfTrainingWhateverTheOrderOfTheirColumnsAndLines) {
  const PartyRows rows = read("id,city,part,age,other\nb,Rome,test,2,x\na,Bern,test,1,y\n").value();
  EXPECT_THAT(rows.rows.ids, ElementsAre("a", "b"));
  EXPECT_TRUE(rows.rows.test.empty());
  EXPECT_EQ(rows.columns, columns_);
  EXPECT_THAT(rows.features.values, ElementsAre(1, 1, 0, 2, 0, 1));
}

TEST_F(NewRows, OfACityThatTrainingNeverSawAreInNone) {
  EXPECT_THAT(read("id,age,city\na,1,Oslo\nb,2,Bern\n").value().features.values,
              ElementsAre(1, 0, 0, 2, 1, 0));
}

TEST_F(NewRows, LackingCellsTakeTheMeansOfTraining) {
  EXPECT_THAT(read("id,age,city\na,,Bern\nb,2,\n", "mean").value().features.values,
              ElementsAre(50, 1, 0, 2, 0.25, 0.75));
  EXPECT_THAT(error(read("id,age,city\na,,Bern\n")), AllOf(HasSubstr("line 2"), HasSubstr("age")));
}

TEST_F(NewRows, WithoutAColumnOfTrainingAreRefusedByItsName) {
  EXPECT_THAT(error(read("id,age\na,1\n")), HasSubstr("\"city\""));
  EXPECT_THAT(error(read("id,agee,city\na,1,Bern\n")), HasSubstr("did you mean \"agee\"?"));
}

TEST_F(NewRows, AreStandardisedAsTheTrainingRowsWere) {
  const Standardiser fitted{{10, 0, 0}, {2, 1, 0}, 3.0};
  const Prepared prepared =
      prepare_new_rows(read("id,age,city\na,12,Bern\nb,100,Rome\n").value(), fitted);
  EXPECT_EQ(prepared.features[0].rows, 0u);
  EXPECT_EQ(prepared.features[0].cols, 3u);
  EXPECT_THAT(prepared.features[2].values, ElementsAre(1, 1, 0, 3, 0, 0));
}

TEST_F(NewRows, MayComeToTheServerAsIdsAlone) {
  const NewLabels rows = read_labels("id\nb\na\n").value();
  EXPECT_THAT(rows.rows.ids, ElementsAre("a", "b"));
  EXPECT_FALSE(rows.labels);
  EXPECT_FALSE(read_labels("id,part,subject\nb,test,1\na,test,2\n").value().labels);
}

TEST_F(NewRows, LabelsAreThoseOfTraining) {
  EXPECT_THAT(*read_labels("id,kind\nb,spam\na,spam\nc,ham\n").value().labels,
              ElementsAre(1, 1, 0));
  EXPECT_THAT(error(read_labels("id,kind\nb,sapm\n")),
              AllOf(HasSubstr("\"sapm\""), HasSubstr("\"ham\", \"spam\"")));
  EXPECT_THAT(error(read_labels("id,kind,age\nb,ham,1\n")), HasSubstr("which of"));
  EXPECT_THAT(*read_labels("id,kind,age\nb,ham,1\n", {.label_column = "kind"}).value().labels,
              ElementsAre(0));
}

}  // namespace
}  // namespace fedvs::data
