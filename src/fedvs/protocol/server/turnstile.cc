#include "fedvs/protocol/server/turnstile.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fedvs::protocol {
namespace {

constexpr double kNearly = 1 - 1e-9;  // of a token: times are rounded

}  // namespace

Turnstile::Turnstile(int clients, double burst, double seconds_each)
    : burst_(burst), each_(seconds_each), lanes_(static_cast<std::size_t>(clients), {burst}) {}

bool Turnstile::take(double now, Lane& lane) {
  lane.tokens = std::min(burst_, lane.tokens + std::max(0.0, now - lane.at) / each_);
  lane.at = std::max(lane.at, now);
  if (lane.tokens < kNearly) return false;
  lane.tokens -= 1;
  return true;
}

bool Turnstile::pass(double now, int client) {
  return take(now, lanes_[static_cast<std::size_t>(client)]);
}

bool Turnstile::pass(double now, int client, const MessagePtr& message) {
  auto& lane = lanes_[static_cast<std::size_t>(client)];
  if (!lane.kept && take(now, lane)) return true;
  lane.kept = message;
  return false;
}

MessagePtr Turnstile::due(double now) {
  for (auto& lane : lanes_) {
    if (lane.kept && take(now, lane)) return std::exchange(lane.kept, nullptr);
  }
  return nullptr;
}

void Turnstile::forget(int client) { lanes_[static_cast<std::size_t>(client)].kept = nullptr; }

double Turnstile::ready(const Lane& lane) const {
  return lane.at + std::max(0.0, 1 - lane.tokens) * each_;
}

double Turnstile::next() const {
  double next = std::numeric_limits<double>::infinity();
  for (const auto& lane : lanes_) {
    if (lane.kept) next = std::min(next, ready(lane));
  }
  return next;
}

}  // namespace fedvs::protocol
