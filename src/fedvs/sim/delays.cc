#include "fedvs/sim/delays.h"

#include <cmath>

#include "fedvs/base/public_random.h"

namespace fedvs::sim {
namespace {

constexpr std::uint64_t kOrder = 0x0de1a5, kUpload = 1, kShare = 2;

int straggler_count(double share, int parties) {
  if (share == 0.5) return parties / 2;
  return static_cast<int>(std::lround(share * parties));
}

}  // namespace

Delays::Delays(const SimJob& job, int parties, std::size_t batch_rows)
    : seed_(static_cast<std::uint64_t>(job.seed)),
      share_factor_(std::pow(std::log(parties), 2) / static_cast<double>(batch_rows)),
      means_(static_cast<std::size_t>(parties), 0.0) {
  if (job.delays == DelayKind::kNone) return;
  stragglers_ = straggler_count(job.straggler_share, parties);
  auto random = PublicRandom::keyed({seed_, kOrder});
  const auto order = permutation(static_cast<std::size_t>(parties), random);
  for (int i = 0; i < parties; ++i) {
    const int straggler = i - (parties - stragglers_) + 1;  // from 1
    means_[order[static_cast<std::size_t>(i)]] =
        straggler < 1 ? 0.1 : 2 + 4.0 * straggler / parties;
  }
}

double Delays::draw(int client, std::uint64_t round, std::uint64_t kind, double mean) const {
  if (mean == 0) return 0;
  auto random = PublicRandom::keyed({seed_, static_cast<std::uint64_t>(client), round, kind});
  return -mean * std::log1p(-random.next_unit());
}

double Delays::upload(int client, std::uint64_t round) const {
  return draw(client, round, kUpload, mean(client));
}

double Delays::share(int client, std::uint64_t round) const {
  return draw(client, round, kShare, mean(client) * share_factor_);
}

}  // namespace fedvs::sim
