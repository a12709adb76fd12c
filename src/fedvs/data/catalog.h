// The built-in data sets: the six of the paper's appendix, where they come from and how they are
// partitioned; and load(), which finds any data set that a job names.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/data/dataset.h"
#include "fedvs/job/job.h"

namespace fedvs::data {

struct CatalogFile {
  std::string name;
  std::uint64_t bytes = 0;  // 0: packed differently from place to place; only the shape is checked
  std::string sha256 = {};
};

struct CatalogEntry {
  enum class Format { kIdx, kCsv };
  std::string name, title, source, license, note;
  Format format = Format::kCsv;
  // kIdx: training images, training labels, test images, test labels. kCsv: one per view.
  std::vector<CatalogFile> files;
  std::string package = {}, package_folder = {};  // Debian's, where it has the set
  std::string label = {}, subject = {};           // columns
  std::vector<std::string> ignore = {};
  int clients = 0;               // the paper's
  bool client_per_view = false;  // otherwise columns are dealt evenly
  double test_share = 0;         // 0: published test rows
  std::size_t rows = 0, test_rows = 0, features = 0;
  int classes = 0;
  std::vector<std::string> class_names = {};  // empty: the labels themselves
};

const std::vector<CatalogEntry>& catalog();
Result<CatalogEntry> find_entry(const std::string& name);  // kBadJob, with the nearest name
bool is_image_set(const std::string& name);                // its files are IDX
// Where the set's files are looked for: $FEDVS_DATA/<name>, else the package's folder; or empty.
std::string folder_of(const CatalogEntry& entry);

// Of the rows, for testing, where job.test_share does not say: the set's own. 0: it has published
// test rows.
double own_test_share(const DataJob& job);

// A built-in set, "csv" or "synthetic". kBadJob for an unknown name or a client count that cannot
// be; kBadFile for a missing file, with where it was looked for and what to do.
Result<Dataset> load(const DataJob& job);

struct FileCheck {
  std::string file, path;
  bool found = false;
  std::string problem;  // empty: as it should be
};
struct CheckReport {
  std::string name;
  std::vector<FileCheck> files;
  std::string shape;          // as read; empty if it could not be read
  std::string shape_problem;  // empty: as it should be
  bool ok() const;
  std::string text() const;
};
Result<CheckReport> check(const std::string& name);  // every file's size, digest and shape

// Facts for people: origin, rows, columns of each client, classes and their balance.
Result<std::string> describe(const std::string& name);
std::string describe(const Dataset& set);

}  // namespace fedvs::data
