#include "fedvs/coding/seeded_mask.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "fedvs/base/hmac.h"
#include "fedvs/base/wipe.h"

namespace fedvs::coding {
namespace {

using field::Coefficients;
using field::Residue;
using field::RingMatrix;

constexpr std::size_t kTogether =
    16;  // terms in memory at once: 43 x 64 entries of each fit a cache
constexpr std::string_view kContext = "fedvs mask 1";

// prod_{a in A} (x - alpha_a), coefficients lowest first.
std::vector<Residue> vanishing_on(const LagrangeCode& code, std::span<const int> set,
                                  std::uint32_t prime) {
  std::vector<Residue> product{1};
  for (int client : set) {
    const Residue minus = field::subtract(0, code.alpha(client) % prime, prime);
    product.push_back(0);
    for (std::size_t i = product.size(); i-- > 0;) {
      const Residue below = i > 0 ? product[i - 1] : 0;
      product[i] = field::add(field::multiply(product[i], minus, prime), below, prime);
    }
  }
  return product;
}

// z(alpha) prod_{a in A} (alpha - alpha_a), alpha of `party`.
Residue value_at(const LagrangeCode& code, std::span<const int> set, int party, int plane) {
  const std::uint32_t prime = code.ring().prime(plane);
  Residue value = code.mask_matrix().at(plane, party, 0);
  for (int client : set) {
    const Residue distance = field::subtract(code.alpha(party), code.alpha(client), prime);
    value = field::multiply(value, distance, prime);
  }
  return value;
}

}  // namespace

void draw_term(const Seed& seed, const Digest& d, int term, RingMatrix& out) {
  std::vector<std::uint8_t> message(kContext.begin(), kContext.end());
  message.insert(message.end(), d.begin(), d.end());
  for (int shift = 0; shift < 32; shift += 8) {
    message.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(term) >> shift));
  }
  Key256 key = hmac_sha256(seed, message);
  Prng stream(key);
  wipe(std::span(key));
  field::fill_uniform(out, stream);
}

struct SeededMasks::Cache {
  std::mutex mutex;
  std::map<int, Parts> parts;  // per party; what was made stays where it is
};

SeededMasks::SeededMasks(const LagrangeCode& code, MaskFamily family)
    : code_(code), family_(std::move(family)), cache_(std::make_shared<Cache>()) {
  const Shape& shape = code.shape();
  FEDVS_CHECK(family_.parties == shape.parties &&
                  family_.size + family_.terms == shape.blocks + 2 * shape.colluding - 1,
              "a family of this code's shape");
}

std::vector<Residue> SeededMasks::factors(std::size_t set, int term, int party, int plane) const {
  const std::uint32_t prime = code_.ring().prime(plane);
  const std::span<const int> clients(family_.sets[set]);
  if (party != kNobody) {
    const Residue shift = field::power(code_.alpha(party), static_cast<std::uint64_t>(term), prime);
    return {field::multiply(value_at(code_, clients, party, plane), shift, prime)};
  }
  std::vector<Residue> polynomial(static_cast<std::size_t>(term), 0);  // times x^term
  std::ranges::copy(vanishing_on(code_, clients, prime), std::back_inserter(polynomial));
  polynomial.resize(static_cast<std::size_t>(code_.mask_matrix().inputs()), 0);
  return polynomial;
}

SeededMasks::Part SeededMasks::part(std::span<const std::pair<std::size_t, int>> terms,
                                    int party) const {
  const int outputs = party == kNobody ? code_.mask_matrix().inputs() : 1;
  Part made{{terms.begin(), terms.end()},
            Coefficients(code_.ring(), outputs, static_cast<int>(terms.size()))};
  for (int plane = 0; plane < code_.ring().planes(); ++plane) {
    for (int i = 0; i < made.factors.inputs(); ++i) {
      const auto [set, term] = terms[static_cast<std::size_t>(i)];
      const auto column = factors(set, term, party, plane);
      for (int o = 0; o < outputs; ++o) {
        made.factors.at(plane, o, i) = column[static_cast<std::size_t>(o)];
      }
    }
  }
  return made;
}

const SeededMasks::Parts& SeededMasks::parts(int party) const {
  std::lock_guard lock(cache_->mutex);
  if (const auto hit = cache_->parts.find(party); hit != cache_->parts.end()) return hit->second;
  std::vector<std::pair<std::size_t, int>> terms;
  for (std::size_t set = 0; set < family_.sets.size(); ++set) {
    if (party != kNobody && family_.contains(set, party)) continue;
    for (int term = 0; term < family_.terms; ++term) terms.emplace_back(set, term);
  }
  Parts made;
  for (std::span rest(terms); !rest.empty(); rest = rest.subspan(made.back().terms.size())) {
    made.push_back(part(rest.first(std::min(rest.size(), kTogether)), party));
  }
  return cache_->parts.emplace(party, std::move(made)).first->second;
}

std::vector<RingMatrix> SeededMasks::combined(const Draw& draw, int party, std::size_t rows,
                                              std::size_t cols) const {
  const int outputs = party == kNobody ? code_.mask_matrix().inputs() : 1;
  std::vector<RingMatrix> sums, drawn;
  for (int o = 0; o < outputs; ++o) sums.emplace_back(code_.ring(), rows, cols);
  for (std::size_t i = 0; i < kTogether; ++i) {
    drawn.push_back(RingMatrix::unset(code_.ring(), rows, cols));
  }
  std::vector<RingMatrix*> outs;
  for (RingMatrix& sum : sums) outs.push_back(&sum);
  std::vector<const RingMatrix*> inputs;
  for (const RingMatrix& one : drawn) inputs.push_back(&one);
  for (const Part& some : parts(party)) {
    for (std::size_t i = 0; i < some.terms.size(); ++i) {
      draw(some.terms[i].first, some.terms[i].second, drawn[i]);
    }
    const std::span used(inputs.data(), some.terms.size());
    field::combine_parts(some.factors, used, outs, {.add = true});
  }
  return sums;
}

RingMatrix SeededMasks::share_of(const Draw& draw, int party, std::size_t rows,
                                 std::size_t cols) const {
  FEDVS_CHECK(party >= 0 && party < family_.parties, "one of the parties");
  return std::move(combined(draw, party, rows, cols)[0]);
}

std::vector<RingMatrix> SeededMasks::coefficients_of(const Draw& draw, std::size_t rows,
                                                     std::size_t cols) const {
  return combined(draw, kNobody, rows, cols);
}

RingMatrix SeededMasks::share(std::span<const Seed> seeds, const Digest& d, int party,
                              std::size_t rows, std::size_t cols) const {
  FEDVS_CHECK(seeds.size() == family_.sets.size(), "one seed per set");
  const Draw draw = [&](std::size_t set, int term, RingMatrix& out) {
    draw_term(seeds[set], d, term, out);
  };
  return share_of(draw, party, rows, cols);
}

std::vector<RingMatrix> SeededMasks::coefficients(std::span<const Seed> seeds, const Digest& d,
                                                  std::size_t rows, std::size_t cols) const {
  FEDVS_CHECK(seeds.size() == family_.sets.size(), "one seed per set");
  const Draw draw = [&](std::size_t set, int term, RingMatrix& out) {
    draw_term(seeds[set], d, term, out);
  };
  return coefficients_of(draw, rows, cols);
}

}  // namespace fedvs::coding
