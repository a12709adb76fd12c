#include "fedvs/protocol/client/seed_book.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/wipe.h"

namespace fedvs::protocol {
namespace {

Error refused(std::string why) { return {ErrorCode::kRefused, std::move(why)}; }

}  // namespace

SeedBook::SeedBook(const Agreement& agreement, int self, const Digest& run)
    : family_(agreement.family.get()),
      parties_(agreement.shape.parties),
      self_(self),
      run_(run),
      listed_(static_cast<std::size_t>(parties_), false) {
  const std::size_t sets = family_ == nullptr ? 0 : family_->sets.size();
  seeds_.resize(sets);
  known_.resize(sets, false);
  commitments_.resize(sets);
  for (int maker = 0; maker < parties_; ++maker) {
    listed_[static_cast<std::size_t>(maker)] = !makes_some(maker);
  }
  count_lacking();
}

SeedBook::~SeedBook() {
  for (auto& seed : seeds_) wipe(std::span(seed));
}

bool SeedBook::makes_some(int maker) const {
  for (std::size_t set = 0; set < seeds_.size(); ++set) {
    if (family_->maker(set) == maker) return true;
  }
  return false;
}

bool SeedBook::may_know(int client, std::size_t set) const {
  return !family_->contains(set, client);
}

bool SeedBook::holds_list(int maker) const { return listed_[static_cast<std::size_t>(maker)]; }

void SeedBook::count_lacking() {
  lacking_ = 0;
  for (std::size_t set = 0; set < seeds_.size(); ++set) {
    lacking_ += may_know(self_, set) && !known_[set] ? 1 : 0;
  }
  for (const bool listed : listed_) lacking_ += listed ? 0 : 1;
}

Digest SeedBook::commitment(std::size_t set, const Key256& seed) const {
  Hasher hasher;
  hasher.add("fedvs seed 1").add(run_).add_u64(family_->sets[set].size());
  for (const int member : family_->sets[set]) hasher.add_u64(static_cast<std::uint64_t>(member));
  return hasher.add(seed).finish();
}

Digest SeedBook::digest_of_list(int maker) const {
  Hasher hasher;
  hasher.add("fedvs seed list 1").add_u64(static_cast<std::uint64_t>(maker));
  for (std::size_t set = 0; set < seeds_.size(); ++set) {
    if (family_->maker(set) == maker) hasher.add_u64(set).add(commitments_[set]);
  }
  return hasher.finish();
}

void SeedBook::make(SecretSource& secrets) {
  for (std::size_t set = 0; set < seeds_.size(); ++set) {
    if (family_->maker(set) != self_) continue;
    secrets.stream(Purpose::kZeroMask, self_, set).fill(seeds_[set]);
    known_[set] = true;
    commitments_[set] = commitment(set, seeds_[set]);
  }
  listed_[static_cast<std::size_t>(self_)] = true;
  count_lacking();
  ++changes_;
}

void SeedBook::expect(std::span<const Digest> lists) {
  expected_.assign(lists.begin(), lists.end());
  for (int maker = 0; maker < parties_; ++maker) {
    const bool another = digest_of_list(maker) != expected_[static_cast<std::size_t>(maker)];
    if (makes_some(maker) && holds_list(maker) && another) forget_list(maker);
  }
  count_lacking();
}

void SeedBook::forget_list(int maker) {
  listed_[static_cast<std::size_t>(maker)] = false;
  for (std::size_t set = 0; set < seeds_.size(); ++set) {
    if (family_->maker(set) != maker) continue;
    wipe(std::span(seeds_[set]));
    known_[set] = false;
  }
  ++changes_;
}

Status SeedBook::check(const SeedShare& share) const {
  if (family_ == nullptr || !makes_some(share.maker)) {
    return refused("seeds of a client that makes none");
  }
  std::size_t at = 0;
  Hasher list;
  list.add("fedvs seed list 1").add_u64(static_cast<std::uint64_t>(share.maker));
  for (std::size_t set = 0; set < seeds_.size(); ++set) {
    if (family_->maker(set) != share.maker) continue;
    if (at == share.commitments.size()) return refused("a list of seeds that is too short");
    list.add_u64(set).add(share.commitments[at++]);
  }
  const auto maker = static_cast<std::size_t>(share.maker);
  if (at != share.commitments.size() || expected_.empty() || list.finish() != expected_[maker]) {
    return refused("another list of seeds than the one that its maker told everybody");
  }
  return {};
}

Status SeedBook::take(const SeedShare& share) {
  FEDVS_TRY_STATUS(check(share));
  std::vector<const Digest*> listed(seeds_.size(), nullptr);
  std::size_t at = 0;
  for (std::size_t set = 0; set < seeds_.size(); ++set) {
    if (family_->maker(set) == share.maker) listed[set] = &share.commitments[at++];
  }
  for (const auto& [set, seed] : share.seeds) {
    if (set >= seeds_.size() || listed[set] == nullptr) return refused("a seed of another maker");
    if (!may_know(self_, set) || !may_know(share.from, set)) {
      return refused(fmt::format("the seed of set {}, which sender or recipient is in", set + 1));
    }
    if (commitment(set, seed) != *listed[set]) {
      return refused(
          fmt::format("a seed of set {} that is not the one its maker told of", set + 1));
    }
  }
  for (std::size_t set = 0; set < seeds_.size(); ++set) {
    if (listed[set] != nullptr) commitments_[set] = *listed[set];
  }
  listed_[static_cast<std::size_t>(share.maker)] = true;
  for (const auto& [set, seed] : share.seeds) {
    seeds_[set] = seed;
    known_[set] = true;
  }
  count_lacking();
  ++changes_;
  return {};
}

SeedShare SeedBook::share(int maker, int recipient) const {
  FEDVS_CHECK(holds_list(maker), "a list is held before it is passed on");
  SeedShare share{.from = self_, .maker = maker, .commitments = {}, .seeds = {}};
  for (std::size_t set = 0; set < seeds_.size(); ++set) {
    if (family_->maker(set) != maker) continue;
    share.commitments.push_back(commitments_[set]);
    if (!known_[set] || !may_know(recipient, set)) continue;
    share.seeds.push_back({static_cast<std::uint32_t>(set), seeds_[set]});
  }
  return share;
}

}  // namespace fedvs::protocol
