#include "fedvs/coding/lagrange.h"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <numeric>

#include "fedvs/coding/interpolation.h"

namespace fedvs::coding {
namespace {

using field::Coefficients;
using field::Residue;

std::vector<Residue> consecutive(int first, int count) {
  std::vector<Residue> points(static_cast<std::size_t>(count));
  std::iota(points.begin(), points.end(), static_cast<Residue>(first));
  return points;
}

// z(x) = prod_{k<K} (x - k)
Residue vanishing(Residue x, int blocks, std::uint32_t prime) {
  Residue product = 1;
  for (int k = 0; k < blocks; ++k) {
    product = field::multiply(product, field::subtract(x, static_cast<Residue>(k), prime), prime);
  }
  return product;
}

// Columns `skip`.. are z(a), z(a) a, z(a) a^2, ...; those before are 1.
Coefficients vanishing_powers(const field::Ring& ring, const Shape& shape, int skip, int terms) {
  Coefficients matrix(ring, shape.parties, skip + terms);
  for (int plane = 0; plane < ring.planes(); ++plane) {
    const std::uint32_t prime = ring.prime(plane);
    for (int party = 0; party < shape.parties; ++party) {
      const auto a = static_cast<Residue>(shape.blocks + shape.colluding + party);
      for (int i = 0; i < skip; ++i) matrix.at(plane, party, i) = 1;
      Residue value = vanishing(a, shape.blocks, prime);
      for (int i = skip; i < skip + terms; ++i, value = field::multiply(value, a, prime)) {
        matrix.at(plane, party, i) = value;
      }
    }
  }
  return matrix;
}

}  // namespace

// Keeps the kCachedSets sets asked for last.
struct LagrangeCode::Cache {
  using Entry = std::pair<std::vector<int>, Coefficients>;
  std::mutex mutex;
  std::list<Entry> recent;  // the newest first
  std::map<std::vector<int>, std::list<Entry>::iterator> found;
};

Result<LagrangeCode> LagrangeCode::create(const field::Ring& ring, Shape shape) {
  FEDVS_TRY_STATUS(validate(shape, ring));
  return LagrangeCode(ring, shape);
}

LagrangeCode::LagrangeCode(const field::Ring& ring, Shape shape)
    : ring_(ring),
      shape_(shape),
      data_(interpolation(consecutive(0, shape.blocks + shape.colluding),
                          consecutive(shape.blocks + shape.colluding, shape.parties))),
      model_(vanishing_powers(ring, shape, 1, shape.colluding)),
      mask_(vanishing_powers(ring, shape, 0, shape.blocks + 2 * shape.colluding - 1)),
      cache_(std::make_shared<Cache>()) {}

Residue LagrangeCode::beta(int k) const {
  FEDVS_CHECK(k >= 0 && k < shape_.blocks + shape_.colluding, "beta_1 .. beta_{K+T}");
  return static_cast<Residue>(k);
}

Residue LagrangeCode::alpha(int party) const {
  FEDVS_CHECK(party >= 0 && party < shape_.parties, "alpha_1 .. alpha_N");
  return static_cast<Residue>(shape_.blocks + shape_.colluding + party);
}

Coefficients LagrangeCode::interpolation(std::span<const Residue> from,
                                         std::span<const Residue> to) const {
  Coefficients matrix(ring_, static_cast<int>(to.size()), static_cast<int>(from.size()));
  for (int plane = 0; plane < ring_.planes(); ++plane) {
    const LagrangeBasis basis(from, ring_.prime(plane));
    for (std::size_t o = 0; o < to.size(); ++o) {
      const std::vector<Residue> row = basis.at(to[o]);
      for (std::size_t i = 0; i < row.size(); ++i) {
        matrix.at(plane, static_cast<int>(o), static_cast<int>(i)) = row[i];
      }
    }
  }
  return matrix;
}

const Coefficients& LagrangeCode::decode_matrix(std::span<const int> responders) const {
  FEDVS_CHECK(static_cast<int>(responders.size()) == shape_.threshold(), "R responders");
  const std::vector<int> key(responders.begin(), responders.end());
  std::lock_guard lock(cache_->mutex);
  if (const auto hit = cache_->found.find(key); hit != cache_->found.end()) {
    cache_->recent.splice(cache_->recent.begin(), cache_->recent, hit->second);
    return hit->second->second;
  }
  if (cache_->recent.size() == kCachedSets) {
    cache_->found.erase(cache_->recent.back().first);
    cache_->recent.pop_back();
  }
  std::vector<Residue> from;
  for (int party : responders) from.push_back(alpha(party));
  cache_->recent.emplace_front(key, interpolation(from, consecutive(0, shape_.blocks)));
  cache_->found.emplace(key, cache_->recent.begin());
  return cache_->recent.front().second;
}

Coefficients LagrangeCode::predict_matrix(std::span<const int> responders, int party) const {
  FEDVS_CHECK(static_cast<int>(responders.size()) == shape_.threshold(), "R responders");
  std::vector<Residue> from;
  for (int responder : responders) from.push_back(alpha(responder));
  const Residue to = alpha(party);
  return interpolation(from, {&to, 1});
}

}  // namespace fedvs::coding
