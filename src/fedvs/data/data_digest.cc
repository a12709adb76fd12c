#include "fedvs/data/data_digest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "fedvs/base/bytes.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/data/csv_dataset.h"
#include "fedvs/data/row_match.h"

namespace fedvs::data {
namespace {

void add_text(Hasher& hasher, const std::string& text) { hasher.add_u64(text.size()).add(text); }

template <class T>
void add_values(Hasher& hasher, const std::vector<T>& values) {
  hasher.add(std::span<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(values.data()),
                                           values.size() * sizeof(T)));
}

Digest features_of(const Dataset& set, const std::vector<std::size_t>& columns) {
  Hasher hasher;
  hasher.add_u64(columns.size());
  for (std::size_t column : columns) add_text(hasher, set.columns[column]);
  std::vector<float> row(columns.size());
  for (std::size_t r = 0; r < set.features.rows; ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) row[c] = set.features.row(r)[columns[c]];
    add_values(hasher, row);
  }
  return hasher.finish();
}

Digest labels_of(const Dataset& set) {
  Hasher hasher;
  hasher.add_u64(set.class_names.size());
  for (const std::string& name : set.class_names) add_text(hasher, name);
  add_values(hasher, set.labels);
  return hasher.finish();
}

void write(ByteWriter& out, const Digest& digest) {
  out.numbers(std::vector<std::uint8_t>(digest.begin(), digest.end()));
}

Result<Digest> read(ByteReader& in) {
  FEDVS_TRY(const auto bytes, in.numbers<std::uint8_t>());
  Digest digest{};
  if (bytes.size() != digest.size())
    return Error{ErrorCode::kCorrupt, fmt::format("a digest of {} bytes", bytes.size())};
  std::ranges::copy(bytes, digest.begin());
  return digest;
}

// Few enough of them to be read.
std::string names_of(const Dataset& set, const std::vector<std::size_t>& columns) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(columns.size(), kNamed); ++i)
    names.push_back(set.columns[columns[i]]);
  return fmt::format("column{} {}{}", columns.size() == 1 ? "" : "s", fmt::join(names, ", "),
                     columns.size() > kNamed ? ", ..." : "");
}

}  // namespace

std::string DataDigest::save() const {
  ByteWriter out;
  out.number(rows);
  out.number<std::uint64_t>(features.size());
  for (const Digest& client : features) write(out, client);
  write(out, labels);
  out.flag(ids.has_value());
  if (ids) write(out, *ids);
  return out.take();
}

Result<DataDigest> DataDigest::parse(const std::string& bytes) {
  DataDigest digest;
  ByteReader in(bytes);
  FEDVS_TRY(digest.rows, in.number<std::uint64_t>());
  FEDVS_TRY(const auto clients, in.number<std::uint64_t>());
  for (std::uint64_t n = 0; n < clients; ++n) {
    FEDVS_TRY(const Digest client, read(in));
    digest.features.push_back(client);
  }
  FEDVS_TRY(digest.labels, read(in));
  FEDVS_TRY(const bool has_ids, in.flag());
  if (has_ids) {
    FEDVS_TRY(digest.ids, read(in));
  }
  FEDVS_TRY_STATUS(in.finish());
  return digest;
}

Result<DataDigest> digest_of(const Dataset& set, const DataJob& job) {
  DataDigest digest{.rows = set.features.rows, .features = {}, .labels = labels_of(set), .ids = {}};
  digest.features.resize(set.client_columns.size());
  ThreadPool::global().parallel_for(
      digest.features.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t n = begin; n < end; ++n)
          digest.features[n] = features_of(set, set.client_columns[n]);
      });
  if (job.name != "csv") return digest;
  FEDVS_TRY(const CsvSource source, csv_source(job));
  FEDVS_TRY(digest.ids, match_rows(source.paths, source.label));
  return digest;
}

std::string what_changed(const DataDigest& before, const DataDigest& now, const Dataset& set) {
  std::vector<std::string> changed;
  if (before.rows != now.rows)
    changed.push_back(fmt::format("the number of rows ({}, now {})", before.rows, now.rows));
  if (before.ids != now.ids) changed.push_back("the row ids");
  if (before.labels != now.labels) changed.push_back("the labels");
  if (before.features.size() != now.features.size()) {
    changed.push_back(fmt::format("the number of clients ({}, now {})", before.features.size(),
                                  now.features.size()));
    return fmt::format("{}", fmt::join(changed, ", "));
  }
  for (std::size_t n = 0; n < now.features.size(); ++n) {
    if (before.features[n] != now.features[n])
      changed.push_back(fmt::format("the features of client {} ({})", n + 1,
                                    names_of(set, set.client_columns[n])));
  }
  return fmt::format("{}", fmt::join(changed, ", "));
}

}  // namespace fedvs::data
