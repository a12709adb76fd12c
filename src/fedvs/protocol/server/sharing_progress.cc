#include "fedvs/protocol/server/sharing_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace fedvs::protocol {
namespace {

constexpr int kMostInVain = 3;
constexpr std::size_t kPairsNamed = 6;

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

SharingProgress::SharingProgress(const Agreement& agreement) : agreement_(agreement), all_(0) {
  for (int part = 0; part < data::kParts; ++part) {
    all_ += agreement.coded_rows(static_cast<data::Part>(part));
  }
  const auto parties = static_cast<std::size_t>(agreement.shape.parties);
  rows_.resize(parties * parties);
}

void SharingProgress::begin(double now) {
  moved_at_ = asked_again_at_ = now;
  asked_in_vain_ = 0;
  marks_.clear();
}

void SharingProgress::update(int client, const Holdings& holdings, double now) {
  if (holdings.rows_held.empty() && !holdings.data_complete) return;
  bool moved = false;
  for (int sender = 0; sender < agreement_.shape.parties; ++sender) {
    auto& known = rows(client, sender);
    const auto told =
        holdings.data_complete ? all_ : holdings.rows_held[static_cast<std::size_t>(sender)];
    moved = moved || told > known;
    known = told;  // one that has lost its folder holds less than before
  }
  mark(now);
  if (!moved) return;
  moved_at_ = now;
  asked_in_vain_ = 0;
}

void SharingProgress::bytes_flow(double now) {
  if (asked_in_vain_ < kMostInVain) moved_at_ = now;
}

bool SharingProgress::should_ask_again(double now, double after) {
  if (now - std::max(moved_at_, asked_again_at_) < after) return false;
  asked_again_at_ = now;
  ++asked_in_vain_;
  return true;
}

std::uint64_t SharingProgress::rows_of(int recipient) const {
  std::uint64_t sum = 0;
  for (int sender = 0; sender < agreement_.shape.parties; ++sender) sum += rows(recipient, sender);
  return sum;
}

std::uint64_t SharingProgress::rows_of_all() const {
  return std::accumulate(rows_.begin(), rows_.end(), std::uint64_t{0});
}

double SharingProgress::held(int recipient, int sender) const {
  return ratio(rows(recipient, sender), all_);
}

double SharingProgress::held_by(int recipient) const {
  return ratio(rows_of(recipient), all_ * static_cast<std::uint64_t>(agreement_.shape.parties));
}

double SharingProgress::held_by_all() const {
  double sum = 0;
  for (int n = 0; n < agreement_.shape.parties; ++n) sum += held_by(n);
  return sum / agreement_.shape.parties;
}

// Of late: rows that came quickly at first say nothing about those that a slow link still carries.
void SharingProgress::mark(double now) {
  constexpr double kApart = 1;  // seconds
  constexpr std::size_t kMarks = 64;
  if (!marks_.empty() && now - marks_.back().at < kApart) return;
  marks_.push_back({now, rows_of_all()});
  if (marks_.size() > kMarks) marks_.pop_front();
}

double SharingProgress::seconds_left(double now) const {
  const auto parties = static_cast<std::uint64_t>(agreement_.shape.parties);
  const std::uint64_t held = rows_of_all(), all = all_ * parties * parties;
  if (marks_.empty() || held <= marks_.front().rows) return held >= all ? 0 : -1;
  const double per_row =
      (now - marks_.front().at) / static_cast<double>(held - marks_.front().rows);
  return per_row * static_cast<double>(all - held);
}

std::string SharingProgress::unfinished() const {
  std::vector<std::pair<int, int>> pairs;
  for (int to = 0; to < agreement_.shape.parties; ++to) {
    for (int from = 0; from < agreement_.shape.parties; ++from) {
      if (rows(to, from) < all_) pairs.emplace_back(to, from);
    }
  }
  std::ranges::stable_sort(pairs, {}, [&](const auto& p) { return rows(p.first, p.second); });
  std::string text;
  for (std::size_t i = 0; i < std::min(pairs.size(), kPairsNamed); ++i) {
    const auto [to, from] = pairs[i];
    text += fmt::format("{}{} holds {} of {} coded rows of {}", i == 0 ? "" : ", ",
                        agreement_.name(to), rows(to, from), all_, agreement_.name(from));
  }
  if (pairs.size() > kPairsNamed)
    text += fmt::format(" and {} more pairs", pairs.size() - kPairsNamed);
  return text;
}

}  // namespace fedvs::protocol
