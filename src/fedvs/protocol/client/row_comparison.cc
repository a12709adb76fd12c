#include "fedvs/protocol/client/row_comparison.h"

#include <algorithm>

#include "fedvs/protocol/client/row_fetcher.h"

namespace fedvs::protocol {
namespace {

bool same(const RowCheck& a, const RowCheck& b) { return a.rows == b.rows && a.digest == b.digest; }

}  // namespace

void RowComparison::begin_life() {
  checks_ = PerClient<std::optional<RowCheck>>(checks_.size());
  compared_ = false;
}

bool RowComparison::take(const RowCheck& check) {
  checks_[check.from] = check;
  const bool all = std::ranges::all_of(checks_, [](const auto& c) { return c.has_value(); });
  return all && !std::exchange(compared_, true);
}

std::vector<int> RowComparison::differing() const {
  const RowCheck* right = &*checks_[self_];
  for (const auto& check : checks_) {
    const auto with =
        std::ranges::count_if(checks_, [&](const auto& c) { return same(*c, *check); });
    if (2 * with > checks_.size()) right = &*check;
  }
  std::vector<int> differ;
  for (const auto& check : checks_) {
    if (!same(*check, *right)) differ.push_back(check->from);
  }
  return differ;
}

std::vector<Groups> RowComparison::groups() const {
  std::vector<Groups> said;
  for (const auto& check : checks_) said.push_back(check->groups);
  return said;
}

void RowComparison::keep(const DataRequest& request) {
  const auto kept = std::ranges::count(requests_, request.from, &DataRequest::from);
  if (kept < static_cast<std::ptrdiff_t>(RowFetcher::kAskedAtOnce)) requests_.push_back(request);
}

}  // namespace fedvs::protocol
