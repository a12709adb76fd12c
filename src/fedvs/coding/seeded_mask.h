// Zero masks that follow from seeds and the digest of a plan: each client computes its own.
//   O(alpha_m) = z(alpha_m) sum over A without m, j < terms, of
//                  q_Aj alpha_m^j prod_{a in A} (alpha_m - alpha_a)            coding/mask_family.h
//   q_Aj       = rows x cols uniform elements, AES-256-CTR under the key
//                  HMAC-SHA-256(seed_A, "fedvs mask 1" | d | j as 4 bytes, little endian)
// d must determine what is uploaded: one d for two different uploads would give their difference
// away. Elements are drawn by rejection, plane by plane (field::uniform): the same on all kernels.
// Drawing terms and combining them are apart, so that tests can try every value of every term.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/base/prng.h"
#include "fedvs/coding/lagrange.h"
#include "fedvs/coding/mask_family.h"

namespace fedvs::coding {

using Seed = Key256;

class SeededMasks {
 public:
  SeededMasks(const LagrangeCode& code, MaskFamily family);
  const MaskFamily& family() const { return family_; }

  // O(alpha_party). seeds[i] belongs to family().sets[i]; those of sets that contain the party are
  // not read. O(elements(party)) draws and multiply-adds per entry.
  field::RingMatrix share(std::span<const Seed> seeds, const Digest& d, int party, std::size_t rows,
                          std::size_t cols) const;
  // Where all seeds are known, in one process: the K+2T-1 coefficients of r(x), lowest first, so
  // that O at all parties is code.mask_matrix() times these.
  std::vector<field::RingMatrix> coefficients(std::span<const Seed> seeds, const Digest& d,
                                              std::size_t rows, std::size_t cols) const;

  // Term j of set A into a matrix of the mask's shape.
  using Draw = std::function<void(std::size_t set, int term, field::RingMatrix& out)>;
  // What share() and coefficients() are, with terms from anywhere.
  field::RingMatrix share_of(const Draw& draw, int party, std::size_t rows, std::size_t cols) const;
  std::vector<field::RingMatrix> coefficients_of(const Draw& draw, std::size_t rows,
                                                 std::size_t cols) const;

 private:
  // One step of combining: some drawn terms, and what each adds to the outputs.
  struct Part {
    std::vector<std::pair<std::size_t, int>> terms;  // (set, j)
    field::Coefficients factors;                     // outputs x terms
  };
  using Parts = std::vector<Part>;
  // Factors of term j of a set for one party (one output) or, party = kNobody, for every
  // coefficient of r.
  static constexpr int kNobody = -1;
  std::vector<field::Residue> factors(std::size_t set, int term, int party, int plane) const;
  Part part(std::span<const std::pair<std::size_t, int>> terms, int party) const;
  const Parts& parts(int party) const;  // made when first asked for
  std::vector<field::RingMatrix> combined(const Draw& draw, int party, std::size_t rows,
                                          std::size_t cols) const;
  LagrangeCode code_;
  MaskFamily family_;
  struct Cache;
  std::shared_ptr<Cache> cache_;  // guarded by a mutex
};

// Term j of the set with this seed: what share() and coefficients() draw.
void draw_term(const Seed& seed, const Digest& d, int term, field::RingMatrix& out);

}  // namespace fedvs::coding
