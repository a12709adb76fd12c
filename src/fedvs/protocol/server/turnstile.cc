#include "fedvs/protocol/server/turnstile.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fedvs::protocol {
namespace {

constexpr double kNearly = 1 - 1e-9;  // of a token: times are rounded

}  // namespace

Turnstile::Turnstile(int clients, double burst, double seconds_each)
    : burst_(burst), each_(seconds_each), passages_(static_cast<std::size_t>(clients), {burst}) {}

bool Turnstile::take(double now, Passage& passage) {
  passage.tokens = std::min(burst_, passage.tokens + std::max(0.0, now - passage.at) / each_);
  passage.at = std::max(passage.at, now);
  if (passage.tokens < kNearly) return false;
  passage.tokens -= 1;
  return true;
}

bool Turnstile::pass(double now, int client) {
  return take(now, passages_[static_cast<std::size_t>(client)]);
}

bool Turnstile::pass(double now, int client, const MessagePtr& message) {
  auto& passage = passages_[static_cast<std::size_t>(client)];
  if (!passage.kept && take(now, passage)) return true;
  passage.kept = message;
  return false;
}

MessagePtr Turnstile::due(double now) {
  for (auto& passage : passages_) {
    if (passage.kept && take(now, passage)) return std::exchange(passage.kept, nullptr);
  }
  return nullptr;
}

void Turnstile::forget(int client) { passages_[static_cast<std::size_t>(client)].kept = nullptr; }

double Turnstile::ready(const Passage& passage) const {
  return passage.at + std::max(0.0, 1 - passage.tokens) * each_;
}

double Turnstile::next() const {
  double next = std::numeric_limits<double>::infinity();
  for (const auto& passage : passages_) {
    if (passage.kept) next = std::min(next, ready(passage));
  }
  return next;
}

}  // namespace fedvs::protocol
