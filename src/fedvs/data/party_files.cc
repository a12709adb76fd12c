#include "fedvs/data/party_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>

#include "fedvs/base/files.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/data/categories.h"
#include "fedvs/data/csv_text.h"
#include "fedvs/data/row_ids.h"

namespace fedvs::data {
namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The columns that all files begin with: id, and what the split needs.
class LeadingColumns {
 public:
  LeadingColumns(const Dataset& set, const DataJob& job)
      : set_(set),
        by_subject_(job.split == "subject" && !set.subjects.empty()),
        digits_(fmt::formatted_size("{}", set.features.rows)) {
    while (contains(set.columns, id_name_)) id_name_ = "row_" + id_name_;
  }

  Status check() const {
    for (const std::string& name : set_.columns)
      if (name == kPartColumn || (by_subject_ && name == kSubjectColumn))
        return Error{ErrorCode::kBadData,
                     fmt::format("{}: a feature is called \"{}\", which in a party's file says how "
                                 "rows are split; rename it",
                                 set_.name, name)};
    return {};
  }

  std::string header() const {
    std::string out = id_name_;
    if (set_.test_from) out += fmt::format(",{}", kPartColumn);
    if (by_subject_) out += fmt::format(",{}", kSubjectColumn);
    return out;
  }

  void append(std::string& out, std::size_t row) const {
    fmt::format_to(std::back_inserter(out), "{:0{}}", row + 1, digits_);
    if (set_.test_from) out += row < *set_.test_from ? ",train" : ",test";
    if (by_subject_) fmt::format_to(std::back_inserter(out), ",{}", set_.subjects[row]);
  }

 private:
  const Dataset& set_;
  const bool by_subject_;
  const std::size_t digits_;  // of the largest row number
  std::string id_name_ = "id";
};

std::string client_text(const Dataset& set, const LeadingColumns& leading,
                        const std::vector<std::size_t>& columns) {
  std::string out = leading.header();
  for (std::size_t column : columns) {
    out += ',';
    append_text(out, set.columns[column]);
  }
  out += '\n';
  for (std::size_t r = 0; r < set.features.rows; ++r) {
    leading.append(out, r);
    for (std::size_t column : columns) {
      out += ',';
      append_number(out, set.features.row(r)[column]);
    }
    out += '\n';
  }
  return out;
}

// The classes' names where reading sorts them into the order they have, otherwise their numbers.
std::vector<std::string> label_texts(const Dataset& set) {
  TextColumn names{set.class_names, {}};
  if (names.values.size() == static_cast<std::size_t>(set.classes) &&
      sort_categories(names).names == set.class_names)
    return set.class_names;
  std::vector<std::string> numbers;
  for (int c = 0; c < set.classes; ++c) numbers.push_back(std::to_string(c));
  return numbers;
}

// Reading numbers the classes that it meets: one without a row would shift those behind it.
Status check_classes_occur(const Dataset& set) {
  std::vector<bool> seen(static_cast<std::size_t>(set.classes), false);
  for (int label : set.labels) seen[static_cast<std::size_t>(label)] = true;
  const auto unseen = std::find(seen.begin(), seen.end(), false);
  if (unseen == seen.end()) return {};
  return Error{ErrorCode::kBadData,
               fmt::format("{}: class {} of {} has no row, so a file of labels cannot hold it",
                           set.name, unseen - seen.begin(), set.classes)};
}

std::string labels_text(const Dataset& set, const LeadingColumns& leading) {
  const std::vector<std::string> texts = label_texts(set);
  std::string out = leading.header() + ",label\n";
  for (std::size_t r = 0; r < set.labels.size(); ++r) {
    leading.append(out, r);
    out += ',';
    append_text(out, texts[static_cast<std::size_t>(set.labels[r])]);
    out += '\n';
  }
  return out;
}

Status make_folder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  const bool empty = !failure && fs::is_empty(folder, failure);
  if (failure)
    return Error{ErrorCode::kBadFile, fmt::format("cannot make the folder {}: {}; choose another",
                                                  folder.string(), failure.message())};
  if (empty) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} is not empty, and files of another export must not mix with these; "
                           "choose a new folder",
                           folder.string())};
}

}  // namespace

PartyFiles party_files(const fs::path& folder, std::size_t clients) {
  PartyFiles files{{}, folder / "labels.csv"};
  for (std::size_t n = 1; n <= clients; ++n)
    files.clients.push_back(folder / fmt::format("client-{}.csv", n));
  return files;
}

Status write_party_files(const Dataset& set, const DataJob& job, const fs::path& folder) {
  const LeadingColumns leading(set, job);
  FEDVS_TRY_STATUS(leading.check());
  FEDVS_TRY_STATUS(check_classes_occur(set));
  FEDVS_TRY_STATUS(make_folder(folder));
  const std::size_t clients = set.client_columns.size();
  const PartyFiles files = party_files(folder, clients);
  std::vector<Status> written(clients + 1);
  ThreadPool::global().parallel_for(clients, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n)
      written[n] =
          write_atomically(files.clients[n], client_text(set, leading, set.client_columns[n]));
  });
  written[clients] = write_atomically(files.labels, labels_text(set, leading));
  for (const Status& status : written) FEDVS_TRY_STATUS(status);
  return {};
}

}  // namespace fedvs::data
