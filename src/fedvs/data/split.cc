// Train, validation and test rows from the public seed: every party computes the same.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "fedvs/base/public_random.h"
#include "fedvs/data/prepared.h"

namespace fedvs::data {
namespace {

// Keys of the public streams; they never change, or old runs would meet other rows.
enum Stream : std::uint64_t { kRowOrder = 1, kTestOrder = 2, kSubjectOrder = 3 };

PublicRandom stream(const DataJob& job, Stream key) {
  return PublicRandom::keyed({static_cast<std::uint64_t>(job.split_seed), key});
}

Error bad_job(const std::string& message) { return {ErrorCode::kBadJob, message}; }

Status check_shares(const SplitSource& source, const DataJob& job) {
  const auto is_share = [](double share) { return share >= 0 && share < 1; };
  if (!is_share(job.test_share))
    return bad_job(
        fmt::format("data.test_share = {} must be at least 0 and below 1", job.test_share));
  if (!is_share(job.validation_share))
    return bad_job(fmt::format("data.validation_share = {} must be at least 0 and below 1",
                               job.validation_share));
  if (!source.test.empty() && job.test_share > 0)
    return bad_job(fmt::format(
        "data.test_share = {}, but {} has a published test set of {} rows; "
        "leave data.test_share out",
        job.test_share, source.name, std::count(source.test.begin(), source.test.end(), true)));
  if (job.split != "row" && job.split != "subject")
    return bad_job(fmt::format("data.split = \"{}\"; use \"row\" or \"subject\"", job.split));
  if (job.split == "subject" && (source.subjects.empty() || !source.test.empty()))
    return bad_job(
        fmt::format("data.split = \"subject\", but {} does not say which rows are of one "
                    "subject; use \"row\"",
                    source.name));
  return {};
}

// Of `units` rows or subjects: how many are for testing and for validation.
struct Counts {
  std::size_t test, validation;
};
Result<Counts> count_parts(std::size_t units, double test_share, double validation_share) {
  const auto part = [](std::size_t whole, double share) {
    if (share == 0) return std::size_t{0};
    const auto rounded = static_cast<std::size_t>(std::llround(static_cast<double>(whole) * share));
    return std::max<std::size_t>(rounded, 1);
  };
  const std::size_t test = part(units, test_share);
  const std::size_t validation = part(units - std::min(test, units), validation_share);
  if (test + validation >= units)
    return Error{ErrorCode::kBadData,
                 fmt::format("{} rows or subjects give {} for testing and {} for validation, which "
                             "leaves none for training; lower data.test_share or "
                             "data.validation_share",
                             units, test, validation)};
  return Counts{test, validation};
}

// The first units of the order are for testing, the next for validation.
Part part_of(std::size_t position, const Counts& counts) {
  if (position < counts.test) return Part::kTest;
  return position < counts.test + counts.validation ? Part::kValidation : Part::kTrain;
}

// The rows that are, or are not, published for testing.
std::vector<std::size_t> rows_where(const SplitSource& source, bool published) {
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < source.rows; ++r)
    if ((!source.test.empty() && source.test[r]) == published) rows.push_back(r);
  return rows;
}

Result<Split> split_by_row(const SplitSource& source, const DataJob& job) {
  const std::vector<std::size_t> rows = rows_where(source, false);
  const std::vector<std::size_t> test_rows = rows_where(source, true);
  const double share = job.test_share > 0 ? job.test_share : source.test_share;
  FEDVS_TRY(const Counts counts,
            count_parts(rows.size(), source.test.empty() ? share : 0, job.validation_share));
  PublicRandom random = stream(job, kRowOrder), test_random = stream(job, kTestOrder);
  const std::vector<std::size_t> order = permutation(rows.size(), random);
  Split split;
  for (std::size_t i = 0; i < rows.size(); ++i)
    split.rows[static_cast<int>(part_of(i, counts))].push_back(rows[order[i]]);
  for (std::size_t i : permutation(test_rows.size(), test_random))
    split.rows[static_cast<int>(Part::kTest)].push_back(test_rows[i]);
  return split;
}

Result<Split> split_by_subject(const SplitSource& source, const DataJob& job) {
  std::map<std::int64_t, Part> part_of_subject;
  for (std::int64_t subject : source.subjects) part_of_subject[subject] = Part::kTrain;
  std::vector<std::int64_t> subjects;
  for (const auto& [subject, part] : part_of_subject) subjects.push_back(subject);
  FEDVS_TRY(const Counts counts,
            count_parts(subjects.size(), job.test_share > 0 ? job.test_share : source.test_share,
                        job.validation_share));
  PublicRandom random = stream(job, kSubjectOrder);
  const std::vector<std::size_t> order = permutation(subjects.size(), random);
  for (std::size_t i = 0; i < order.size(); ++i)
    part_of_subject[subjects[order[i]]] = part_of(i, counts);
  PublicRandom row_random = stream(job, kRowOrder);
  Split split;
  for (std::size_t row : permutation(source.rows, row_random))
    split.rows[static_cast<int>(part_of_subject[source.subjects[row]])].push_back(row);
  return split;
}

}  // namespace

SplitSource split_source(const Dataset& set) {
  SplitSource source{.name = set.name,
                     .rows = set.features.rows,
                     .test_share = set.test_share,
                     .subjects = set.subjects};
  if (!set.test_from) return source;
  source.test.assign(source.rows, false);
  std::fill(source.test.begin() + static_cast<std::ptrdiff_t>(*set.test_from), source.test.end(),
            true);
  return source;
}

Result<Split> split_rows(const SplitSource& source, const DataJob& job) {
  FEDVS_TRY_STATUS(check_shares(source, job));
  return job.split == "subject" ? split_by_subject(source, job) : split_by_row(source, job);
}

Result<Split> split_rows(const Dataset& set, const DataJob& job) {
  return split_rows(split_source(set), job);
}

}  // namespace fedvs::data
