#include "fedvs/quant/scales.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fedvs::quant {
namespace {

constexpr int kMostForData = 12, kMostForWeights = 14;
constexpr int kFewestBits = 10, kFewestForData = 4;

// log2 of M, so that m31 (30.999...) and rns4 (31.6) both count as 31.
double counted_bits(const field::Ring& ring) { return std::floor(ring.bits() + 0.001); }

// The longest row: every feature at +-clip, raised to powers 1..D, and the one for the bias.
double worst_row_norm(const ClientWidth& client, double clip) {
  double squares = 1.0;
  for (int power = 1; power <= client.degree; ++power) {
    squares += client.features * std::pow(clip, 2 * power);
  }
  return std::sqrt(squares);
}

// The largest l_x + l_w with 2^(l_x + l_w) * row * kColumnNorm <= M / (2N).
int bits_left(const field::Ring& ring, std::span<const ClientWidth> clients, double clip) {
  double longest = 1.0;
  for (const ClientWidth& client : clients) {
    longest = std::max(longest, worst_row_norm(client, clip));
  }
  const double taken = std::log2(2.0 * static_cast<double>(clients.size()) * longest * kColumnNorm);
  return static_cast<int>(std::floor(counted_bits(ring) - taken));
}

// Quantised features must fit 32 bits themselves: 2^l_x clip^D < 2^31.
int most_for_data(std::span<const ClientWidth> clients, double clip) {
  int degree = 1;
  for (const ClientWidth& client : clients) degree = std::max(degree, client.degree);
  const double power_bits = degree * std::log2(std::max(1.0, clip));
  return std::min(kMostForData, static_cast<int>(std::floor(30.9 - power_bits)));
}

std::string ring_that_would_do(std::span<const ClientWidth> clients, double clip) {
  for (const std::string& name : field::Ring::names()) {
    if (bits_left(field::Ring::create(name).value(), clients, clip) >= kFewestBits) {
      return fmt::format("use ring {}, or lower data.clip or the degree", name);
    }
  }
  return "no ring is wide enough: lower data.clip or the degree";
}

}  // namespace

Result<Scales> automatic_scales(const field::Ring& ring, std::span<const ClientWidth> clients,
                                double clip) {
  FEDVS_CHECK(!clients.empty() && clip > 0, "at least one client, and a clip above 0");
  const int total = bits_left(ring, clients, clip);
  if (total < kFewestBits) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("ring {} leaves {} bits for l_x + l_w with {} clients and features "
                             "clipped at {}, but at least {} are needed; {}",
                             ring.name(), total, clients.size(), clip, kFewestBits,
                             ring_that_would_do(clients, clip))};
  }
  const int l_w = std::min(kMostForWeights, total * 4 / 7);
  const int l_x = std::min(total - l_w, most_for_data(clients, clip));
  if (l_x < kFewestForData) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("features clipped at {} and raised to the job's degree leave {} bits "
                             "for l_x, but at least {} are needed; lower data.clip or the degree",
                             clip, l_x, kFewestForData)};
  }
  return Scales{l_x, l_w};
}

}  // namespace fedvs::quant
