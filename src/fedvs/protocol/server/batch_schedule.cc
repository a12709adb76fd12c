#include "fedvs/protocol/server/batch_schedule.h"

#include <algorithm>
#include <numeric>

#include "fedvs/base/public_random.h"
#include "fedvs/protocol/segments.h"

namespace fedvs::protocol {
namespace {

std::vector<std::vector<std::size_t>> cut(const std::vector<std::size_t>& rows, std::size_t size) {
  std::vector<std::vector<std::size_t>> batches;
  for (std::size_t first = 0; first < rows.size(); first += size) {
    const std::size_t count = std::min(size, rows.size() - first);
    batches.emplace_back(rows.begin() + static_cast<std::ptrdiff_t>(first),
                         rows.begin() + static_cast<std::ptrdiff_t>(first + count));
  }
  return batches;
}

std::size_t sample_count(const Agreement& agreement, const std::vector<std::size_t>& rows) {
  const auto samples = samples_of(agreement, data::Part::kTrain, rows);
  return samples.size() - static_cast<std::size_t>(std::ranges::count(samples, model::kPadding));
}

}  // namespace

BatchSchedule::BatchSchedule(const Agreement& agreement, std::uint64_t seed)
    : agreement_(agreement), seed_(seed) {
  start_next_epoch();
}

void BatchSchedule::start_next_epoch() {
  ++epoch_;
  next_ = 0;
  auto random = PublicRandom::keyed({seed_, 0xba7c4u, static_cast<std::uint64_t>(epoch_)});
  batches_ =
      cut(permutation(agreement_.coded_rows(data::Part::kTrain), random), agreement_.batch_rows());
  join_single_sample();
}

void BatchSchedule::restore(int epoch, std::size_t taken) {
  epoch_ = epoch - 1;
  start_next_epoch();
  next_ = std::min(taken, batches_.size());
}

// Batch normalisation cannot work on a single sample: its batch joins the one before it (or, if it
// is the first, the one after). There is one such at most: the short last batch, or a padded row
// alone.
void BatchSchedule::join_single_sample() {
  const auto single = std::ranges::find_if(
      batches_, [&](const auto& rows) { return sample_count(agreement_, rows) == 1; });
  if (single == batches_.end() || batches_.size() == 1) return;
  const auto rows = std::move(*single);
  auto next = batches_.erase(single);
  auto& other = next == batches_.begin() ? *next : *std::prev(next);
  other.insert(other.end(), rows.begin(), rows.end());
}

BatchSchedule::Batch BatchSchedule::take() {
  if (!epoch_has_more()) start_next_epoch();
  return {epoch_, batches_[next_++]};
}

std::vector<std::vector<std::size_t>> evaluation_chunks(const Agreement& agreement,
                                                        data::Part part) {
  std::vector<std::size_t> rows(agreement.coded_rows(part));
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return cut(rows, agreement.batch_rows());
}

}  // namespace fedvs::protocol
