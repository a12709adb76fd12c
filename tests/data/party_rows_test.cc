#include "fedvs/data/party_rows.h"

#include <gmock/gmock.h>

#include "fedvs/data/catalog.h"
#include "tests/data/temp_folder.h"

namespace fedvs::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PartyFile : public testing::Test {
 protected:
  Result<PartyRows> read(const std::string& csv, const PartyCsv& options = {}) const {
    return read_party_csv(folder_.write("bank.csv", csv), options);
  }
  Result<PartyLabels> read_labels(const std::string& csv, const LabelCsv& options = {}) const {
    return read_label_csv(folder_.write("labels.csv", csv), options);
  }
  template <class T>
  static std::string error(const Result<T>& result) {
    return result ? "no error" : result.error().message;
  }
  TempFolder folder_;
};
using Rows = PartyFile;
using Labels = PartyFile;

TEST_F(Rows, AreSortedByIdAsTextWhateverTheOrderOfLines) {
  const PartyRows party = read("id,age,fee\n9,90,1\n10,100,2\nB,3,3\nA,4,4\n").value();
  EXPECT_THAT(party.rows.ids, ElementsAre("10", "9", "A", "B"));
  EXPECT_THAT(party.features.values, ElementsAre(100, 2, 90, 1, 4, 4, 3, 3));
  EXPECT_THAT(party.columns, ElementsAre("age", "fee"));
  EXPECT_THAT(party.rows.test, IsEmpty());
}

TEST_F(Rows, AreSortedByBytesNotByLocale) {
  EXPECT_THAT(read("id,x\n\xc3\xa9,1\nz,2\nZ,3\n").value().rows.ids,
              ElementsAre("Z", "z", "\xc3\xa9"));
}

TEST_F(Rows, IdsThatLookAlikeAsNumbersAreDifferent) {
  EXPECT_THAT(read("id,x\n1.0,1\n01,2\n1,3\n").value().rows.ids, ElementsAre("01", "1", "1.0"));
}

TEST_F(Rows, MayHaveTheIdInAnyColumn) {
  PartyCsv options;
  options.id_column = "customer";
  const PartyRows party = read("age,customer,fee\n1,b,2\n3,a,4\n", options).value();
  EXPECT_THAT(party.rows.ids, ElementsAre("a", "b"));
  EXPECT_THAT(party.features.values, ElementsAre(3, 4, 1, 2));
}

TEST_F(Rows, OneHotCategoriesLeaveColumnsOutAndFillMeansAsOneTableWould) {
  PartyCsv options;
  options.categorical = {"city"};
  options.ignore = {"note"};
  options.missing = "mean";
  const PartyRows party =
      read("id,city,fee,note\nc,Rome,4,x\na,Bern,,y\nb,Rome,2,\n", options).value();
  EXPECT_THAT(party.columns, ElementsAre("city=Bern", "city=Rome", "fee"));
  EXPECT_THAT(party.features.values, ElementsAre(1, 0, 3, 0, 1, 2, 0, 1, 4));
}

TEST_F(Rows, MeansDoNotDependOnTheOrderOfLines) {
  PartyCsv options;
  options.missing = "mean";
  // A sum of doubles in file order would lose the 1 in one of the two.
  const auto one = read("id,x\na,\nb,1e17\nc,1\nd,-1e17\n", options).value();
  const auto other = read("id,x\nd,-1e17\nb,1e17\nc,1\na,\n", options).value();
  EXPECT_EQ(one.features.values, other.features.values);
}

TEST_F(Rows, AreReadFromGzipToo) {
  const std::string path = folder_.write_gzip("bank.csv.gz", "id,x\nb,1\na,2\n");
  EXPECT_THAT(read_party_csv(path, {}).value().features.values, ElementsAre(2, 1));
}

TEST_F(Rows, AnIdTwiceIsGivenWithBothLines) {
  // A blank line and a cell of two lines, so that lines are not rows.
  const auto result = read("id,x\na,1\n\n\"b\n2\",2\nc,3\na,4\n");
  EXPECT_THAT(error(result), AllOf(HasSubstr("bank.csv, line 2 and line 7, column \"id\""),
                                   HasSubstr("the id \"a\""), HasSubstr("remove one")));
}

TEST_F(Rows, AnEmptyIdIsGivenWithItsLine) {
  EXPECT_THAT(error(read("id,x\na,1\n,2\n")),
              AllOf(HasSubstr("bank.csv, line 3, column \"id\""), HasSubstr("fill it in")));
}

TEST_F(Rows, AFileWithoutAFeatureIsRefused) {
  EXPECT_THAT(
      error(read("id\na\n")),
      AllOf(HasSubstr("bank.csv: of its 1 columns none is a feature"), HasSubstr("\"id\"")));
  PartyCsv options;
  options.ignore = {"x"};
  EXPECT_THAT(error(read("id,part,x\na,test,1\nb,train,2\n", options)),
              HasSubstr("none is a feature"));
}

TEST_F(Rows, OtherFaultsAreGivenWithTheirPlace) {
  EXPECT_THAT(error(read("id,x\na,many\n")),
              HasSubstr("bank.csv, line 2, column \"x\": \"many\" is not a number"));
  EXPECT_THAT(error(read("id,x\na,\n")), HasSubstr("line 2, column \"x\": the cell is empty"));
  EXPECT_THAT(error(read("id,x\n")), HasSubstr("no rows below the header"));
  EXPECT_THAT(error(read("id,x\na,1\n", {.missing = "guess"})),
              HasSubstr("data.missing = \"guess\""));
  EXPECT_THAT(error(read("id,x\na,1\n", {.id_column = "ide"})),
              AllOf(HasSubstr("the row id: column \"ide\""), HasSubstr("did you mean \"id\"?")));
  EXPECT_THAT(error(read("id,x\na,\nb,\n", {.missing = "mean"})),
              AllOf(HasSubstr("bank.csv: "), HasSubstr("\"x\" has no value in any")));
}

TEST_F(Rows, NamesOfAnotherPartysColumnsAreAMistakeOnlyInItsOwnSettings) {
  DataJob job;
  job.categorical = {"city", "plan"};
  job.ignore = {"id", "note"};
  EXPECT_THAT(read("id,city\na,Rome\nb,Oslo\n", party_csv(job)).value().columns,
              ElementsAre("city=Oslo", "city=Rome"));
  EXPECT_THAT(error(read("id,city\na,Rome\n", {.categorical = {"plan"}})), HasSubstr("\"plan\""));
  EXPECT_THAT(error(read("id,city\na,Rome\n", {.ignore = {"note"}})), HasSubstr("\"note\""));
}

TEST_F(Rows, PartsComeFromAColumnThatIsNoFeature) {
  const PartyRows party = read("id,x,part\nc,1,test\na,2,train\nb,3,test\n").value();
  EXPECT_THAT(party.columns, ElementsAre("x"));
  EXPECT_THAT(party.rows.test, ElementsAre(false, true, true));
}

TEST_F(Rows, PartsOtherThanTrainAndTestAreRefused) {
  EXPECT_THAT(error(read("id,x,part\na,1,test\nb,2,spare\n")),
              AllOf(HasSubstr("bank.csv, line 3, column \"part\": \"spare\""),
                    HasSubstr("\"train\" nor \"test\""), HasSubstr("rename")));
  EXPECT_THAT(error(read("id,x,part\na,1,\nb,2,test\n")), HasSubstr("line 2, column \"part\""));
  EXPECT_THAT(error(read("id,x,part\na,1,test\nb,2,test\n")),
              HasSubstr("column \"part\": all 2 rows are for \"test\""));
  PartyCsv options;
  options.ignore = {"part"};
  EXPECT_THAT(read("id,x,part\na,1,4\nb,2,5\n", options).value().rows.test, IsEmpty());
}

TEST_F(Rows, SubjectsAreReadOnlyWhenTheSplitNeedsThem) {
  const std::string csv = "id,subject,x\nc,20,1\na,3,2\nb,20,3\n";
  EXPECT_THAT(read(csv).value().columns, ElementsAre("subject", "x"));
  const PartyRows party = read(csv, {.by_subject = true}).value();
  EXPECT_THAT(party.columns, ElementsAre("x"));
  EXPECT_THAT(party.rows.subjects, ElementsAre(0, 1, 1));
  EXPECT_THAT(error(read("id,x\na,1\n", {.by_subject = true})),
              AllOf(HasSubstr("data.split = \"subject\""), HasSubstr("no column \"subject\"")));
}

TEST_F(Labels, AreSortedByIdAndNumberedByName) {
  const PartyLabels party = read_labels("id,kind\nd,spam\na,ham\nc,ham\nb,spam\n").value();
  EXPECT_THAT(party.rows.ids, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(party.labels, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(party.class_names, ElementsAre("ham", "spam"));
}

TEST_F(Labels, AreNumberedAsNumbersWhereAllAre) {
  const PartyLabels party = read_labels("id,kind\na,10\nb,9\nc,10\nd,9\n").value();
  EXPECT_THAT(party.labels, ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(party.class_names, ElementsAre("9", "10"));
}

TEST_F(Labels, AreTheOnlyOtherColumnOrTheOneNamed) {
  const std::string csv = "id,x,kind\na,1,u\nb,2,v\n";
  EXPECT_THAT(error(read_labels(csv)),
              AllOf(HasSubstr("labels.csv: which of \"x\", \"kind\" is the label?")));
  EXPECT_THAT(read_labels(csv, {.label_column = "kind"}).value().class_names,
              ElementsAre("u", "v"));
  EXPECT_THAT(error(read_labels(csv, {.label_column = "kin"})),
              HasSubstr("did you mean \"kind\"?"));
  EXPECT_THAT(error(read_labels(csv, {.label_column = "id"})), HasSubstr("cannot be the label"));
  EXPECT_THAT(error(read_labels("id\na\n")), HasSubstr("no column beside \"id\"; add the labels"));
}

TEST_F(Labels, OneClassOrFarTooManyAreRefused) {
  EXPECT_THAT(error(read_labels("id,kind\na,u\nb,u\n")),
              HasSubstr("labels.csv: label column \"kind\" is \"u\" in all 2 rows"));
  EXPECT_THAT(error(read_labels("id,kind\na,1.5\nb,2.5\nc,3.5\nd,4\n")),
              HasSubstr("4 different values in 4 rows"));
  EXPECT_THAT(error(read_labels("id,kind\na,\nb,u\n")),
              HasSubstr("line 2, column \"kind\": the label is missing"));
  EXPECT_THAT(error(read_labels("id,kind\na,u\na,v\n")), HasSubstr("line 2 and line 3"));
}

TEST_F(Labels, OfABuiltInSetThatAreNumbersGetItsNames) {
  DataJob job;
  job.name = "credit-card";
  const PartyLabels party = read_labels("id,y\na,0\nb,1\nc,1\nd,0\ne,0\n").value();
  EXPECT_THAT(labels_of_parts(party, job).value().class_names, ElementsAre("paid", "default"));
  job.name = "csv";
  EXPECT_THAT(labels_of_parts(party, job).value().class_names, ElementsAre("0", "1"));
}

TEST_F(PartyFile, OfASetWithPublishedTestRowsMustSayWhichTheyAre) {
  DataJob job;
  job.name = "fashion-mnist";
  const PartyRows party = read("id,x\na,1\nb,2\nc,3\nd,4\n").value();
  EXPECT_THAT(error(split_party(party.rows, job)),
              AllOf(HasSubstr("bank.csv: fashion-mnist has published test rows"),
                    HasSubstr("column \"part\""), HasSubstr("data.test_share")));
  job.test_share = 0.5;
  EXPECT_EQ(split_party(party.rows, job).value().rows[static_cast<int>(Part::kTest)].size(), 2u);
}

TEST_F(PartyFile, PublishedTestRowsAndATestShareContradict) {
  DataJob job;
  job.name = "csv";
  job.test_share = 0.2;
  const PartyRows party = read("id,x,part\na,1,train\nb,2,test\nc,3,train\n").value();
  EXPECT_THAT(error(split_party(party.rows, job)), HasSubstr("published test set of 1 rows"));
}

TEST_F(PartyFile, TestRowsAmongTheOthersAreSplitAsIfTheyCameLast) {
  DataJob job;
  job.name = "csv";
  job.validation_share = 0.25;
  const Split split = split_party(read("id,x,part\na,1,train\nb,2,test\nc,3,train\nd,4,train\n"
                                       "e,5,test\nf,6,train\n")
                                      .value()
                                      .rows,
                                  job)
                          .value();
  EXPECT_THAT(split.rows[static_cast<int>(Part::kTest)], testing::UnorderedElementsAre(1, 4));
  EXPECT_EQ(split.rows[static_cast<int>(Part::kValidation)].size(), 1u);
  // The same rows, renamed so that the test rows sort last: the same order of the same values.
  const Split last = split_party(read("id,x,part\na,1,train\ny,2,test\nc,3,train\nd,4,train\n"
                                      "z,5,test\nf,6,train\n")
                                     .value()
                                     .rows,
                                 job)
                         .value();
  const std::vector<std::size_t> place = {0, 2, 3, 5, 1, 4};  // of the second file's rows
  for (int part = 0; part < kParts; ++part) {
    std::vector<std::size_t> expected;
    for (std::size_t row : last.rows[part]) expected.push_back(place[row]);
    EXPECT_EQ(split.rows[part], expected);
  }
}

TEST_F(PartyFile, ABadClipIsRefused) {
  DataJob job;
  job.name = "csv";
  job.clip = 0;
  Standardiser fitted;
  EXPECT_THAT(error(prepare_party(read("id,x\na,1\nb,2\nc,3\n").value(), job, &fitted)),
              HasSubstr("data.clip = 0"));
}

}  // namespace
}  // namespace fedvs::data
