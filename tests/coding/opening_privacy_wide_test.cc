// Masked opening for K = 2 and for T = 2, N = R = 5, p = 11. All masks of data and models are too
// many here, so two worlds are drawn that the coalition cannot tell apart by what it holds: equal
// sums, equal shares with the coalition, other secrets. Then every zero mask is tried, with the
// coalition's own values of it: masks by seeds are this to any T (seeded_mask_privacy_test.cc). The
// server's uploads must be the same multiset.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/coding/tiny_code.h"
#include "tests/support/rings.h"

namespace fedvs::coding {
namespace {

using fedvs::testing::from_index;
using fedvs::testing::plus;
using fedvs::testing::seeded;
using fedvs::testing::shares;
using fedvs::testing::subsets;
using fedvs::testing::times;
using fedvs::testing::tiny_code;
using fedvs::testing::to_index;
using fedvs::testing::Values;
using field::Residue;

constexpr std::uint32_t kPrime = 11;

struct Client {
  Values data;   // X_1 .. X_K, Z_1 .. Z_T
  Values model;  // W, r_0 .. r_{T-1}
};

Values draw(std::size_t count, Prng& random) {
  std::vector<std::uint8_t> bytes(count);
  random.fill_uniform(bytes, kPrime);
  return Values(bytes.begin(), bytes.end());
}

std::size_t power(std::size_t base, std::size_t exponent) {
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

Values of_coalition(const Values& all, const std::vector<int>& coalition) {
  Values held;
  for (int m : coalition) held.push_back(all[static_cast<std::size_t>(m)]);
  return held;
}

// The one value of the last T terms for which the coalition holds `held`.
Values with_held_shares(const LagrangeCode& code, Polynomial polynomial, Values terms,
                        std::size_t secrets, const std::vector<int>& coalition,
                        const Values& held) {
  const std::size_t masks = terms.size() - secrets;
  Values found;
  for (std::size_t index = 0; index < power(kPrime, masks); ++index) {
    const Values mask = from_index(index, masks, kPrime);
    std::copy(mask.begin(), mask.end(), terms.begin() + static_cast<std::ptrdiff_t>(secrets));
    if (of_coalition(shares(code, polynomial, terms), coalition) != held) continue;
    EXPECT_TRUE(found.empty());
    found = terms;
  }
  EXPECT_FALSE(found.empty());
  return found;
}

struct World {
  const LagrangeCode& code;
  std::vector<Client> clients;

  Values uploads() const {
    Values sum(static_cast<std::size_t>(code.shape().parties), 0);
    for (const Client& client : clients) {
      sum = plus(sum,
                 times(shares(code, Polynomial::kData, client.data),
                       shares(code, Polynomial::kModel, client.model), kPrime),
                 kPrime);
    }
    return sum;
  }
  Residue sum(std::size_t k) const {
    Residue total = 0;
    for (const Client& client : clients) total += client.data[k] * client.model[0];
    return total % kPrime;
  }
};

World any_world(const LagrangeCode& code, Prng& random) {
  const auto data = static_cast<std::size_t>(code.data_matrix().inputs());
  const auto model = static_cast<std::size_t>(code.model_matrix().inputs());
  World world{code, {}};
  for (int n = 0; n < code.shape().parties; ++n) {
    world.clients.push_back({draw(data, random), draw(model, random)});
  }
  return world;
}

// Other secrets for all but the coalition, the same sums, and the same shares with the coalition.
World look_alike(const World& world, const std::vector<int>& coalition, Prng& random) {
  const auto blocks = static_cast<std::size_t>(world.code.shape().blocks);
  World other{world.code, world.clients};
  std::size_t last = 0;
  for (std::size_t n = 0; n < other.clients.size(); ++n) {
    if (std::count(coalition.begin(), coalition.end(), static_cast<int>(n)) > 0) continue;
    const Values fresh = draw(blocks + 1, random);
    std::copy_n(fresh.begin(), blocks, other.clients[n].data.begin());
    other.clients[n].model[0] = fresh.back();
    last = n;
  }
  Client& balance = other.clients[last];  // makes the sums equal
  balance.model[0] = std::max<Residue>(1, balance.model[0]);
  const Residue inverse = field::inverse(balance.model[0], kPrime);
  for (std::size_t k = 0; k < blocks; ++k) {
    const Residue missing = field::subtract(world.sum(k), other.sum(k), kPrime);
    const Residue step = field::multiply(missing, inverse, kPrime);
    balance.data[k] = field::add(balance.data[k], step, kPrime);
  }
  for (std::size_t n = 0; n < other.clients.size(); ++n) {
    const auto as_held = [&](Polynomial polynomial, const Values& terms, std::size_t secrets,
                             const Values& before) {
      const Values held = of_coalition(shares(world.code, polynomial, before), coalition);
      return with_held_shares(world.code, polynomial, terms, secrets, coalition, held);
    };
    Client& client = other.clients[n];
    client.data = as_held(Polynomial::kData, client.data, blocks, world.clients[n].data);
    client.model = as_held(Polynomial::kModel, client.model, 1, world.clients[n].model);
  }
  return other;
}

// All uploads under every zero mask, each with the coalition's shares of that mask, sorted.
std::vector<std::size_t> view(const World& world, const std::vector<int>& coalition) {
  const auto coefficients = static_cast<std::size_t>(world.code.mask_matrix().inputs());
  const Values unmasked = world.uploads();
  std::vector<std::size_t> seen;
  for (std::size_t index = 0; index < power(kPrime, coefficients); ++index) {
    const Values mask =
        shares(world.code, Polynomial::kMask, from_index(index, coefficients, kPrime));
    Values all = plus(unmasked, mask, kPrime);
    const Values held = of_coalition(mask, coalition);
    all.insert(all.end(), held.begin(), held.end());
    seen.push_back(to_index(all, kPrime));
  }
  std::sort(seen.begin(), seen.end());
  return seen;
}

void expect_hidden(Shape shape, int trials) {
  const auto code = tiny_code(kPrime, shape);
  int differ_unmasked = 0;
  for (const auto& coalition : subsets(shape.parties, shape.colluding)) {
    for (int trial = 0; trial < trials; ++trial) {
      Prng random = seeded(static_cast<std::uint64_t>(trial));
      const World world = any_world(code, random);
      const World other = look_alike(world, coalition, random);
      for (std::size_t k = 0; k < static_cast<std::size_t>(shape.blocks); ++k) {
        ASSERT_EQ(world.sum(k), other.sum(k));
      }
      ASSERT_EQ(view(world, coalition), view(other, coalition));
      differ_unmasked += world.uploads() != other.uploads() ? 1 : 0;
    }
  }
  EXPECT_GT(differ_unmasked, 0);  // without the mask the two worlds are told apart
}

TEST(OpeningPrivacy, HidesAllButTheSumsOfTwoSegments) { expect_hidden({5, 2, 1}, 20); }

TEST(OpeningPrivacy, HidesAllButTheSumFromTwoColludersAndTheServer) { expect_hidden({5, 1, 2}, 3); }

TEST(OpeningPrivacy, UnequalSumsAreToldApart) {
  const auto code = tiny_code(kPrime, {5, 2, 1});
  Prng random = seeded(1);
  const World world = any_world(code, random);
  World other{code, world.clients};
  other.clients[0].model[0] = 1;
  other.clients[0].data[0] = field::add(other.clients[0].data[0], 1, kPrime);
  ASSERT_NE(world.sum(0), other.sum(0));
  EXPECT_NE(view(world, {}), view(other, {}));
}

}  // namespace
}  // namespace fedvs::coding
