#include "fedvs/data/csv_dataset.h"

#include <gmock/gmock.h>

#include "fedvs/data/catalog.h"
#include "tests/data/temp_folder.h"

namespace fedvs::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPeople =
    "id,age,income,city,smoker,risk\n"
    "p1,30,1000,Rome,1,low\n"
    "p2,40,2000,Oslo,0,high\n"
    "p3,50,3000,Rome,0,low\n"
    "p4,60,4000,Bern,1,high\n";

class CsvDataset : public testing::Test {
 protected:
  CsvDataset() {
    job_.name = "csv";
    job_.path = folder_.write("people.csv", kPeople);
    job_.label = "risk";
    job_.ignore = {"id"};
    job_.categorical = {"city"};
    job_.clients = 2;
  }
  std::string error() const {
    const auto set = load(job_);
    return set ? "no error" : set.error().message;
  }
  void use_views(const std::string& first, const std::string& second) {
    job_ = {};
    job_.name = "csv";
    job_.label = "class";
    job_.path = folder_.write("left.csv", first) + ", " + folder_.write("right.csv", second);
  }
  TempFolder folder_;
  DataJob job_;
};

TEST_F(CsvDataset, DealsColumnsEvenlyAndOneHotsCategories) {
  // Given 4 feature columns of which one has 3 categories, when 2 clients share them
  const Dataset set = load(job_).value();
  // Then each gets 2 columns of the file, and the categories stay together, sorted.
  EXPECT_THAT(set.columns,
              ElementsAre("age", "income", "city=Bern", "city=Oslo", "city=Rome", "smoker"));
  EXPECT_THAT(set.client_columns, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3, 4, 5)));
  EXPECT_THAT(std::vector<float>(set.features.row(1), set.features.row(2)),
              ElementsAre(40, 2000, 0, 1, 0, 0));
  EXPECT_THAT(set.class_names, ElementsAre("high", "low"));
  EXPECT_THAT(set.labels, ElementsAre(1, 0, 1, 0));
  EXPECT_EQ(set.classes, 2);
  EXPECT_DOUBLE_EQ(set.test_share, 0.3);
}

TEST_F(CsvDataset, TheFirstClientsGetOneColumnMore) {
  job_.clients = 3;
  EXPECT_THAT(load(job_).value().client_columns,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3, 4), ElementsAre(5)));
}

TEST_F(CsvDataset, GivesEveryClientTheColumnsListedForIt) {
  // Given a list that leaves out `income`, and a file where that column is broken
  job_.path = folder_.write("people.csv", std::string(kPeople) + "p5,70,lots,Oslo,1,low\n");
  job_.clients = 0;
  job_.columns = "smoker, age; city";
  const Dataset set = load(job_).value();
  // Then only listed columns are read.
  EXPECT_THAT(set.columns, ElementsAre("age", "city=Bern", "city=Oslo", "city=Rome", "smoker"));
  EXPECT_THAT(set.client_columns, ElementsAre(ElementsAre(4, 0), ElementsAre(1, 2, 3)));
}

TEST_F(CsvDataset, RefusesColumnListsThatCannotBe) {
  job_.clients = 0;
  job_.columns = "age,incom;city";
  EXPECT_THAT(error(), AllOf(HasSubstr("\"incom\""), HasSubstr("did you mean \"income\"?")));
  job_.columns = "age;city,age";
  EXPECT_THAT(error(), HasSubstr("\"age\" is named twice"));
  job_.columns = "age;;city";
  EXPECT_THAT(error(), HasSubstr("client 2 has an empty column name"));
  job_.columns = "age;city";
  job_.clients = 3;
  EXPECT_THAT(error(), HasSubstr("data.clients = 3, but data.columns lists 2 clients"));
}

TEST_F(CsvDataset, SuggestsTheNearestLabel) {
  job_.label = "rsik";
  EXPECT_THAT(error(), AllOf(HasSubstr("people.csv"), HasSubstr("data.label"),
                             HasSubstr("\"rsik\""), HasSubstr("did you mean \"risk\"?")));
  EXPECT_EQ(load(job_).error().code, ErrorCode::kBadJob);
}

TEST_F(CsvDataset, SuggestsTheNearestIgnoredAndCategoricalColumn) {
  job_.ignore = {"ids"};
  EXPECT_THAT(error(), AllOf(HasSubstr("data.ignore"), HasSubstr("did you mean \"id\"?")));
  job_.ignore = {"id"};
  job_.categorical = {"town", "citi"};
  EXPECT_THAT(error(), AllOf(HasSubstr("data.categorical"), HasSubstr("\"town\"")));
}

TEST_F(CsvDataset, RefusesMoreClientsThanFeatures) {
  job_.clients = 5;
  EXPECT_THAT(error(), AllOf(HasSubstr("data.clients = 5"), HasSubstr("only 4 feature columns"),
                             HasSubstr("to 4 or fewer")));
  job_.clients = -1;
  EXPECT_THAT(error(), HasSubstr("at least 1 client"));
}

TEST_F(CsvDataset, AsksForWhatTheJobLeavesOut) {
  DataJob job = job_;
  job_.clients = 0;
  EXPECT_THAT(error(), HasSubstr("data.clients is not set"));
  job_ = job;
  job_.label = "";
  EXPECT_THAT(error(), HasSubstr("data.label is not set"));
  job_ = job;
  job_.path = "";
  EXPECT_THAT(error(), HasSubstr("data.path is not set"));
  job_ = job;
  job_.missing = "median";
  EXPECT_THAT(error(), HasSubstr("use \"error\" or \"mean\""));
}

TEST_F(CsvDataset, NamesACellOfTextInAColumnOfNumbers) {
  job_.categorical = {};
  EXPECT_THAT(error(), AllOf(HasSubstr("line 2, column \"city\""), HasSubstr("\"Rome\""),
                             HasSubstr("data.categorical")));
}

TEST_F(CsvDataset, FillsMissingCellsWithTheMeanOfTheOthersOnRequest) {
  // Given a missing number and a missing category
  job_.path =
      folder_.write("people.csv", std::string(kPeople) + "p5,,0,Rome,1,low\np6,20,0,,NA,low\n");
  EXPECT_THAT(error(), HasSubstr("line 6, column \"age\": the cell is empty"));
  // When means are asked for
  job_.missing = "mean";
  const Dataset set = load(job_).value();
  // Then the number is the mean age, and the category the frequencies of the cities.
  EXPECT_FLOAT_EQ(set.features.row(4)[0], 40);
  EXPECT_FLOAT_EQ(set.features.row(5)[2], 0.2f);
  EXPECT_FLOAT_EQ(set.features.row(5)[4], 0.6f);
  EXPECT_FLOAT_EQ(set.features.row(5)[5], 0.6f);
}

TEST_F(CsvDataset, NeverInventsALabelOrAnEmptyColumn) {
  job_.missing = "mean";
  job_.path = folder_.write("people.csv", std::string(kPeople) + "p5,1,1,Rome,1,\n");
  EXPECT_THAT(error(), HasSubstr("line 6, column \"risk\": the label is missing"));
  job_.path = folder_.write("p.csv", "a,b,risk\n,1,x\n,2,y\n,3,x\n");
  job_.ignore = job_.categorical = {};
  EXPECT_THAT(error(), HasSubstr("column \"a\" has no value in any of the 3 rows"));
}

TEST_F(CsvDataset, SortsWholeNumbersAsNumbers) {
  job_.path = folder_.write("p.csv", "a,risk\n1,10\n2,9\n3,-1\n4,10.0\n5,9\n6,-1\n");
  job_.clients = 1;
  job_.ignore = job_.categorical = {};
  const Dataset set = load(job_).value();
  EXPECT_THAT(set.class_names, ElementsAre("-1", "9", "10"));
  EXPECT_THAT(set.labels, ElementsAre(2, 1, 0, 2, 1, 0));
}

TEST_F(CsvDataset, RefusesALabelThatIsNoClass) {
  job_.label = "age";
  job_.categorical = {"city", "risk"};
  EXPECT_THAT(error(), AllOf(HasSubstr("label column \"age\" has 4 different values in 4 rows")));
  job_.path = folder_.write("p.csv", "a,age\n1,7\n2,7\n");
  job_.ignore = job_.categorical = {};
  job_.clients = 1;
  EXPECT_THAT(error(), HasSubstr("is \"7\" in all 2 rows"));
}

TEST_F(CsvDataset, GivesEveryViewAClient) {
  // Given two views that share the label and a column name
  use_views("x,y,class\n1,2,a\n3,4,b\n", "class,x\na,5\nb,6\n");
  const Dataset set = load(job_).value();
  // Then the label is taken once, and the name says which file it is from.
  EXPECT_THAT(set.columns, ElementsAre("left/x", "y", "right/x"));
  EXPECT_THAT(set.client_columns, ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
  EXPECT_THAT(set.features.values, ElementsAre(1, 2, 5, 3, 4, 6));
  EXPECT_THAT(set.labels, ElementsAre(0, 1));
}

TEST_F(CsvDataset, DealsTheColumnsOfAllViewsIfClientsAreGiven) {
  use_views("x,y,z\n1,2,3\n3,4,5\n", "class,w\na,5\nb,6\n");
  job_.clients = 3;
  EXPECT_THAT(load(job_).value().client_columns,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3)));
}

TEST_F(CsvDataset, RefusesViewsWithUnequalRows) {
  use_views("x,class\n1,a\n3,b\n5,a\n", "y\n5\n6\n");
  EXPECT_THAT(error(), AllOf(HasSubstr("left.csv has 3 rows"), HasSubstr("right.csv has 2"),
                             HasSubstr("same rows in the same order")));
  EXPECT_EQ(load(job_).error().code, ErrorCode::kBadData);
}

TEST_F(CsvDataset, ReadsNewRowsByColumnName) {
  // Given a trained set's columns, and new rows in another column order, without label, with a city
  // that was never seen
  const Dataset set = load(job_).value();
  CsvSource source = csv_source(job_).value();
  source.paths = {folder_.write("new.csv", "smoker,city,income,age\n1,Rome,5,25\n0,Paris,6,35\n")};
  const Table rows = read_csv_rows(source, set.columns, {}).value();
  EXPECT_THAT(rows.values, ElementsAre(25, 5, 0, 0, 1, 1, 35, 6, 0, 0, 0, 0));
}

TEST_F(CsvDataset, FillsNewRowsWithTheMeansItIsGiven) {
  CsvSource source = csv_source(job_).value();
  source.mean_for_missing = true;
  source.paths = {folder_.write("new.csv", "age,city\n25,Rome\n,\n")};
  const std::vector<double> means = {44, 0.25, 0.5};
  EXPECT_THAT(read_csv_rows(source, {"age", "city=Oslo", "city=Rome"}, means).value().values,
              ElementsAre(25, 0, 1, 44, 0.25f, 0.5f));
}

TEST_F(CsvDataset, SaysWhichColumnNewRowsLack) {
  CsvSource source = csv_source(job_).value();
  source.paths = {folder_.write("new.csv", "smoker,city,incme,age\n1,Rome,5,25\n")};
  const auto rows = read_csv_rows(source, {"age", "income"}, {});
  ASSERT_FALSE(rows);
  EXPECT_THAT(rows.error().message, AllOf(HasSubstr("new.csv"), HasSubstr("\"income\""),
                                          HasSubstr("did you mean \"incme\"?")));
}

}  // namespace
}  // namespace fedvs::data
