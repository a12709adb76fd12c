#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/coded_sum.h"
#include "tests/support/properties.h"

namespace fedvs::coding {
namespace {

using fedvs::testing::coded_sum;
using fedvs::testing::seeded;
using fedvs::testing::shares_of;
using fedvs::testing::spoil;

Shape any_shape() {
  const int colluding = *rc::gen::inRange(1, 5), blocks = *rc::gen::inRange(1, 6);
  const int threshold = Shape{0, blocks, colluding}.threshold();
  return {*rc::gen::inRange(threshold, threshold + 8), blocks, colluding};
}

LagrangeCode any_code() {
  const auto names = field::Ring::names();
  const auto ring = fedvs::testing::ring(*rc::gen::elementOf(names));
  return LagrangeCode::create(ring, any_shape()).value();
}

// Some `count` of the parties, in any order.
std::vector<int> any_parties(const LagrangeCode& code, int count) {
  std::vector<int> parties(static_cast<std::size_t>(code.shape().parties));
  std::iota(parties.begin(), parties.end(), 0);
  for (std::size_t i = parties.size(); i > 1; --i) {
    std::swap(parties[i - 1], parties[*rc::gen::inRange<std::size_t>(0, i)]);
  }
  parties.resize(static_cast<std::size_t>(count));
  return parties;
}

RC_GTEST_PROP(LagrangeCode, OpensMaskedSumsForAnyShapeRingAndResponders, ()) {
  const auto code = any_code();
  Prng random = seeded(*rc::gen::arbitrary<std::uint64_t>());
  const auto rows = *rc::gen::inRange<std::size_t>(1, 5);
  const auto depth = *rc::gen::inRange<std::size_t>(1, 80);
  const auto width = *rc::gen::inRange<std::size_t>(1, 7);
  const auto world = coded_sum(code, rows, depth, width, code.shape().colluding + 1, random);
  const auto answered = any_parties(code, code.shape().threshold());
  RC_ASSERT(open(code, shares_of(world, answered)).value() == world.sums);
}

RC_GTEST_PROP(LagrangeCode, DetectsAWrongUploadWithOneSurplus, ()) {
  const auto code = any_code();
  RC_PRE(code.shape().stragglers() >= 1);
  Prng random = seeded(*rc::gen::arbitrary<std::uint64_t>());
  auto world = coded_sum(code, 2, 3, 2, 1, random);
  const auto answered = any_parties(code, code.shape().threshold() + 1);
  const auto wrong = static_cast<std::size_t>(*rc::gen::elementOf(answered));
  const auto shares = shares_of(world, answered);
  RC_ASSERT(consistent(code, shares, shares.back()));
  spoil(world.uploads[wrong], *rc::gen::inRange(0, code.ring().planes()), 1, 0);
  RC_ASSERT(!consistent(code, shares, shares.back()));
}

RC_GTEST_PROP(LagrangeCode, CorrectsAsManyWrongUploadsAsTheSurplusAllows, ()) {
  const auto code = any_code();
  const int errors = code.shape().stragglers() / 2;
  Prng random = seeded(*rc::gen::arbitrary<std::uint64_t>());
  auto world = coded_sum(code, 2, 3, 2, 1, random);
  auto wrong = any_parties(code, *rc::gen::inRange(0, errors + 1));
  for (int party : wrong) {
    const int plane = *rc::gen::inRange(0, code.ring().planes());
    spoil(world.uploads[static_cast<std::size_t>(party)], plane, 0, 1);
  }
  const auto corrected =
      correct(code, shares_of(world, any_parties(code, code.shape().parties)), errors);
  std::sort(wrong.begin(), wrong.end());
  RC_ASSERT(corrected.value().wrong == wrong);
  RC_ASSERT(corrected.value().segments == world.sums);
}

}  // namespace
}  // namespace fedvs::coding
