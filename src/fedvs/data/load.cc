// load(): from a job to a data set.
#include <fmt/format.h>

#include <filesystem>

#include "fedvs/base/thread_pool.h"
#include "fedvs/data/catalog.h"
#include "fedvs/data/clients.h"
#include "fedvs/data/csv_dataset.h"
#include "fedvs/data/idx.h"
#include "fedvs/data/row_match.h"
#include "fedvs/data/synthetic.h"

namespace fedvs::data {
namespace {

std::string remedy(const CatalogEntry& entry) {
  const std::string set_variable =
      fmt::format("set FEDVS_DATA to the folder that holds {}/", entry.name);
  if (entry.package.empty()) return set_variable;
  return fmt::format("run apt-get install {}, or {}", entry.package, set_variable);
}

// Paths of all files. kBadFile for the first that is not there.
Result<std::vector<std::string>> find_files(const CatalogEntry& entry) {
  const std::string folder = folder_of(entry);
  std::vector<std::string> paths;
  for (const CatalogFile& file : entry.files) {
    if (folder.empty())
      return Error{ErrorCode::kBadFile,
                   fmt::format("{}: cannot look for {}: FEDVS_DATA is not set; {}", entry.name,
                               file.name, remedy(entry))};
    const auto path = std::filesystem::path(folder) / file.name;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
      return Error{ErrorCode::kBadFile, fmt::format("{}: {} is not in {}; {}", entry.name,
                                                    file.name, folder, remedy(entry))};
    paths.push_back(path.string());
  }
  return paths;
}

void copy_pixels(const IdxImages& images, Table& features, std::size_t first_row) {
  ThreadPool::global().parallel_for(images.count, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint8_t* pixels = images.image(i);
      float* row = features.row(first_row + i);
      for (std::size_t c = 0; c < features.cols; ++c) row[c] = static_cast<float>(pixels[c]);
    }
  });
}

Status add_labels(const CatalogEntry& entry, const IdxSet& from, const std::string& path,
                  Dataset& set) {
  for (std::uint8_t label : from.labels) {
    if (label >= entry.classes)
      return Error{ErrorCode::kBadData,
                   fmt::format("{}: label {} is not below the {} classes of {}", path, label,
                               entry.classes, entry.name)};
    set.labels.push_back(label);
  }
  return {};
}

Result<Dataset> load_idx(const CatalogEntry& entry, const std::vector<std::string>& paths) {
  FEDVS_TRY(const IdxSet train, read_idx_set(paths[0], paths[1]));
  FEDVS_TRY(const IdxSet test, read_idx_set(paths[2], paths[3]));
  const std::size_t pixels = train.images.height * train.images.width;
  if (test.images.height * test.images.width != pixels)
    return Error{ErrorCode::kBadData,
                 fmt::format("{} has images of {} pixels, but {} of {}; use two files of one set",
                             paths[0], pixels, paths[2], test.images.height * test.images.width)};
  Dataset set;
  FEDVS_TRY_STATUS(add_labels(entry, train, paths[1], set));
  FEDVS_TRY_STATUS(add_labels(entry, test, paths[3], set));
  set.classes = entry.classes;
  set.test_from = train.images.count;
  set.features = {set.labels.size(), pixels, std::vector<float>(set.labels.size() * pixels)};
  copy_pixels(train.images, set.features, 0);
  copy_pixels(test.images, set.features, train.images.count);
  for (std::size_t c = 0; c < pixels; ++c) set.columns.push_back(fmt::format("pixel{}", c));
  return set;
}

Result<Dataset> load_csv(const CatalogEntry& entry, const std::vector<std::string>& paths) {
  CsvSource source;
  source.paths = paths;
  source.label = entry.label;
  source.subject = entry.subject;
  source.ignore = entry.ignore;
  FEDVS_TRY(Dataset set, read_csv(source));
  if (set.classes != entry.classes)
    return Error{ErrorCode::kBadData,
                 fmt::format("{}: {} classes where {} has {}; see fedvs data check", paths[0],
                             set.classes, entry.name, entry.classes)};
  return set;
}

// The set's own clients, or job.clients where columns are dealt evenly.
Status deal(const CatalogEntry& entry, const DataJob& job, Dataset& set) {
  if (!entry.client_per_view) {
    FEDVS_TRY(set.client_columns,
              deal_evenly(set.features.cols, job.clients != 0 ? job.clients : entry.clients));
  } else if (job.clients != 0 && job.clients != entry.clients) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("data.clients = {}, but {} has {} views, one per client; leave "
                             "data.clients out",
                             job.clients, entry.name, entry.clients)};
  }
  return {};
}

Result<Dataset> load_entry(const CatalogEntry& entry, const DataJob& job) {
  FEDVS_TRY(const std::vector<std::string> paths, find_files(entry));
  const bool idx = entry.format == CatalogEntry::Format::kIdx;
  FEDVS_TRY(Dataset set, idx ? load_idx(entry, paths) : load_csv(entry, paths));
  FEDVS_TRY_STATUS(deal(entry, job, set));
  set.name = entry.name;
  set.test_share = entry.test_share;
  if (!entry.class_names.empty()) set.class_names = entry.class_names;
  return set;
}

}  // namespace

Result<Dataset> load(const DataJob& job) {
  if (job.name == "synthetic") return make_synthetic(job);
  if (job.name == "csv") {
    FEDVS_TRY(const CsvSource source, csv_source(job));
    if (source.paths.size() > 1) {
      FEDVS_TRY([[maybe_unused]] const auto ids, match_rows(source.paths, source.label));
    }
    return read_csv(source);
  }
  FEDVS_TRY(const CatalogEntry entry, find_entry(job.name));
  return load_entry(entry, job);
}

}  // namespace fedvs::data
