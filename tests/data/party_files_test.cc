// A data set through its parties' files is, bit for bit, what data::prepare makes of it.
#include "fedvs/data/party_files.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <sstream>

#include "fedvs/base/files.h"
#include "fedvs/data/catalog.h"
#include "fedvs/data/party_rows.h"
#include "tests/data/temp_folder.h"

namespace fedvs::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

DataJob job_of(const std::string& name) {
  DataJob job;
  job.name = name;
  job.validation_share = 0.1;
  return job;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

void expect_same(const Standardiser& a, const Standardiser& b) {
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.spread, b.spread);
  EXPECT_EQ(a.clip, b.clip);
}

// What each party makes of its own file, beside what one process makes of the whole set.
void expect_prepared_alike(const PartyFiles& files, const PreparedJob& whole, const DataJob& job) {
  const PartyLabels labels =
      read_label_csv(files.labels, {.by_subject = job.split == "subject"}).value();
  const PreparedLabels of_parts = labels_of_parts(labels, job).value();
  EXPECT_EQ(of_parts.classes, whole.classes);
  EXPECT_EQ(of_parts.class_names, whole.class_names);
  for (int part = 0; part < kParts; ++part)
    EXPECT_TRUE(of_parts.labels[part] == whole.labels[part]) << "labels of part " << part;
  ASSERT_EQ(files.clients.size(), whole.clients.size());
  for (std::size_t n = 0; n < files.clients.size(); ++n) {
    PartyRows rows = read_party_csv(files.clients[n], party_csv(job)).value();
    EXPECT_EQ(row_ids_digest(nullptr, rows.rows), row_ids_digest(nullptr, labels.rows));
    Standardiser fitted;
    const Prepared client = prepare_party(std::move(rows), job, &fitted).value();
    expect_same(fitted, whole.standardisers[n]);
    for (int part = 0; part < kParts; ++part) {
      const Table &mine = client.features[part], &theirs = whole.clients[n].features[part];
      EXPECT_EQ(mine.rows, theirs.rows);
      EXPECT_EQ(mine.cols, theirs.cols);
      EXPECT_TRUE(same_bits(mine.values, theirs.values)) << "client " << n + 1 << ", part " << part;
    }
  }
}

void expect_files_give_the_same(const DataJob& job, const std::string& out) {
  const Dataset set = load(job).value();
  ASSERT_TRUE(write_party_files(set, job, out));
  expect_prepared_alike(party_files(out, set.client_columns.size()), prepare(set, job).value(),
                        job);
}

#define FEDVS_NEEDS(name)                                            \
  if (!std::filesystem::exists(folder_of(find_entry(name).value()))) \
  GTEST_SKIP() << "FEDVS_DATA is not set, or does not hold " << name

TEST(PartyFiles, OfTheSyntheticSetGiveTheSameBits) {
  DataJob job = job_of("synthetic");
  job.rows = 997;  // floats of all kinds, and three digits of ids
  job.classes = 11;
  TempFolder folder;
  expect_files_give_the_same(job, folder.path("parties"));
}

TEST(PartyFiles, OfACsvWithCategoriesAndMissingCellsGiveTheSameBits) {
  TempFolder folder;
  std::string csv = "id,age,city,fee,note,risk\n";
  for (int r = 0; r < 40; ++r)
    csv += std::to_string(r) + "," + (r % 7 == 0 ? "" : std::to_string(r * r)) +
           (r % 3 == 0 ? ",\"Rome, old\"" : ",Oslo") + ",0." + std::to_string(r) +
           (r % 2 == 0 ? ",x,\"low, or so\"\n" : ",y,high\n");
  DataJob job = job_of("csv");
  job.path = folder.write("people.csv", csv);
  job.label = "risk";
  job.categorical = {"city"};
  job.ignore = {"note"};  // and not "id", which is a feature here
  job.missing = "mean";
  job.clients = 3;
  expect_files_give_the_same(job, folder.path("parties"));
}

TEST(PartyFiles, OfFashionMnistGiveTheSameBits) {
  FEDVS_NEEDS("fashion-mnist");
  TempFolder folder;
  expect_files_give_the_same(job_of("fashion-mnist"), folder.path("parties"));
}

TEST(PartyFiles, OfCreditCardGiveTheSameBits) {
  FEDVS_NEEDS("credit-card");
  TempFolder folder;
  expect_files_give_the_same(job_of("credit-card"), folder.path("parties"));
}

TEST(PartyFiles, OfHandwrittenGiveTheSameBits) {
  FEDVS_NEEDS("handwritten");
  TempFolder folder;
  expect_files_give_the_same(job_of("handwritten"), folder.path("parties"));
}

TEST(PartyFiles, OfParkinsonBySubjectGiveTheSameBits) {
  FEDVS_NEEDS("parkinson");
  DataJob job = job_of("parkinson");
  TempFolder folder;
  expect_files_give_the_same(job, folder.path("by-row"));
  job.split = "subject";
  expect_files_give_the_same(job, folder.path("by-subject"));
}

Dataset small_set() {
  Dataset set;
  set.name = "small";
  set.features = {12, 3, {}};
  for (int i = 0; i < 36; ++i)
    set.features.values.push_back(0.25f * static_cast<float>(i * i % 23));
  set.columns = {"a", "b", "c"};
  set.client_columns = {{0, 2}, {1}};
  for (int r = 0; r < 12; ++r) set.labels.push_back(r % 2);
  set.classes = 2;
  set.class_names = {"no", "yes"};
  return set;
}

std::string text_of(const std::filesystem::path& path) { return read_file(path).value(); }

TEST(PartyFiles, HoldIdsPartsColumnsAndLabels) {
  TempFolder folder;
  Dataset set = small_set();
  set.test_from = 10;
  ASSERT_TRUE(write_party_files(set, job_of("small"), folder.path("out")));
  const PartyFiles files = party_files(folder.path("out"), 2);
  EXPECT_THAT(text_of(files.clients[0]),
              AllOf(StartsWith("id,part,a,c\n01,train,0,1\n"), HasSubstr("\n11,test,")));
  EXPECT_THAT(text_of(files.clients[1]), StartsWith("id,part,b\n01,train,0.25\n"));
  EXPECT_THAT(text_of(files.labels), AllOf(StartsWith("id,part,label\n01,train,no\n02,train,yes\n"),
                                           HasSubstr("\n12,test,yes\n")));
}

TEST(PartyFiles, NumberTheClassesWhereSortingWouldReorderTheirNames) {
  TempFolder folder;
  Dataset set = small_set();
  set.class_names = {"yes", "no"};
  ASSERT_TRUE(write_party_files(set, job_of("small"), folder.path("out")));
  EXPECT_THAT(text_of(party_files(folder.path("out"), 2).labels),
              StartsWith("id,label\n01,0\n02,1\n"));
}

TEST(PartyFiles, MayBeShuffledEachInItsOwnWay) {
  // Given the files of a set with test rows in the middle of nowhere
  TempFolder folder;
  Dataset set = small_set();
  set.test_from = 8;
  const DataJob job = job_of("csv");
  ASSERT_TRUE(write_party_files(set, job, folder.path("out")));
  const PartyFiles files = party_files(folder.path("out"), 2);
  // When every party's lines are in another order
  std::mt19937 random(3);
  for (const auto& path : {files.clients[0], files.clients[1], files.labels}) {
    std::vector<std::string> lines;
    std::istringstream in(text_of(path));
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::shuffle(lines.begin() + 1, lines.end(), random);
    std::string shuffled;
    for (const std::string& line : lines) shuffled += line + "\n";
    ASSERT_TRUE(write_atomically(path, shuffled));
  }
  // Then nothing changes.
  expect_prepared_alike(files, prepare(set, job).value(), job);
}

TEST(PartyFiles, AreNotMixedWithOthers) {
  TempFolder folder;
  folder.write("out/client-9.csv", "of another export");
  const Status status = write_party_files(small_set(), job_of("small"), folder.path("out"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kRefused);
  EXPECT_THAT(status.error().message, HasSubstr("is not empty"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("out/labels.csv")));
}

TEST(PartyFiles, CannotHoldWhatReadingWouldTakeForSomethingElse) {
  TempFolder folder;
  Dataset set = small_set();
  set.columns[1] = "part";
  EXPECT_THAT(write_party_files(set, job_of("small"), folder.path("out")).error().message,
              HasSubstr("small: a feature is called \"part\""));
  set = small_set();
  set.classes = 3;
  set.class_names.push_back("perhaps");
  EXPECT_THAT(write_party_files(set, job_of("small"), folder.path("out")).error().message,
              HasSubstr("class 2 of 3 has no row"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
}

}  // namespace
}  // namespace fedvs::data
