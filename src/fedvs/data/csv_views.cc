#include "fedvs/data/csv_views.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "fedvs/base/thread_pool.h"
#include "fedvs/data/clients.h"

namespace fedvs::data {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "dir/view-a.csv.gz" -> "view-a"
std::string file_stem(const std::string& path) {
  const std::string file = std::filesystem::path(path).filename().string();
  return file.substr(0, file.find('.'));
}

// task(i) for every i, on the pool; the error of the smallest i that failed.
Status for_each_view(std::size_t count, const std::function<Status(std::size_t)>& task) {
  std::vector<Status> status(count);
  ThreadPool::global().parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) status[i] = task(i);
  });
  for (const Status& one : status)
    if (!one) return one;
  return {};
}

}  // namespace

Result<CsvViews> CsvViews::open(const std::vector<std::string>& paths) {
  std::vector<std::optional<CsvReader>> opened(paths.size());
  FEDVS_TRY_STATUS(for_each_view(paths.size(), [&](std::size_t view) -> Status {
    FEDVS_TRY(opened[view], CsvReader::open(paths[view]));
    return {};
  }));
  CsvViews views;
  for (auto& reader : opened) {
    views.uses_.emplace_back(reader->header().size(), ColumnUse::kSkip);
    views.readers_.push_back(std::move(*reader));
  }
  return views;
}

std::vector<std::string> CsvViews::all_names() const {
  std::vector<std::string> names;
  for (const CsvReader& reader : readers_)
    names.insert(names.end(), reader.header().begin(), reader.header().end());
  return names;
}

Result<FeatureColumn> CsvViews::find(const std::string& key, const std::string& name) const {
  for (std::size_t view = 0; view < readers_.size(); ++view) {
    const auto& header = readers_[view].header();
    const auto found = std::find(header.begin(), header.end(), name);
    if (found != header.end())
      return FeatureColumn{name, view, static_cast<std::size_t>(found - header.begin())};
  }
  return unknown_name(ErrorCode::kBadJob, fmt::format("{}: {}: column", readers_[0].path(), key),
                      name, all_names());
}

Status CsvViews::require(const std::string& key, const std::string& name) const {
  FEDVS_TRY([[maybe_unused]] const FeatureColumn found, find(key, name));
  return {};
}

Result<std::vector<FeatureColumn>> CsvViews::features(
    const std::vector<std::string>& hidden, const std::vector<std::string>& categorical) const {
  std::map<std::string, int> holders;
  for (const std::string& name : all_names()) ++holders[name];
  std::vector<FeatureColumn> features;
  std::vector<std::string> names;
  for (std::size_t view = 0; view < readers_.size(); ++view) {
    const auto& header = readers_[view].header();
    for (std::size_t c = 0; c < header.size(); ++c) {
      if (contains(hidden, header[c])) continue;
      const std::string name =
          holders[header[c]] > 1 ? file_stem(path(view)) + "/" + header[c] : header[c];
      const bool text = contains(categorical, header[c]) || contains(categorical, name);
      features.push_back({name, view, c, text});
      names.push_back(name);
      names.push_back(header[c]);
    }
  }
  for (const std::string& name : categorical)
    if (!contains(names, name))
      return unknown_name(ErrorCode::kBadJob, "data.categorical: feature column", name, names);
  return features;
}

void CsvViews::use(const std::vector<FeatureColumn>& features) {
  for (const FeatureColumn& feature : features)
    use(feature, feature.categorical ? ColumnUse::kText : ColumnUse::kNumber);
}

Status CsvViews::read(bool allow_missing) {
  count_places();
  columns_.resize(readers_.size());
  FEDVS_TRY_STATUS(for_each_view(readers_.size(), [&](std::size_t view) -> Status {
    FEDVS_TRY(columns_[view], read_columns(readers_[view], uses_[view], allow_missing));
    readers_[view].drop_text();
    return {};
  }));
  return check_rows();
}

void CsvViews::count_places() {
  for (const auto& uses : uses_) {
    auto& places = places_.emplace_back(uses.size(), 0);
    std::size_t numbers = 0, texts = 0;
    for (std::size_t c = 0; c < uses.size(); ++c) {
      if (uses[c] == ColumnUse::kNumber) places[c] = numbers++;
      if (is_text(uses[c])) places[c] = texts++;
    }
  }
}

Status CsvViews::check_rows() const {
  for (std::size_t view = 1; view < columns_.size(); ++view)
    if (columns_[view].rows != columns_[0].rows)
      return Error{ErrorCode::kBadData,
                   fmt::format("{} has {} rows, but {} has {}; every view must hold the same rows "
                               "in the same order",
                               path(0), columns_[0].rows, path(view), columns_[view].rows)};
  return {};
}

}  // namespace fedvs::data
