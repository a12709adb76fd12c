#include "fedvs/field/panels.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "fedvs/field/ring_matrix.h"
#include "tests/support/rings.h"

namespace fedvs::field {
namespace {

using fedvs::testing::ring;

TEST(Panels, PutFourDepthsOfAColumnSideBySideInBytePlanes) {
  EXPECT_EQ(panel_column(ring("rns4"), 0, 0), 0u);
  EXPECT_EQ(panel_column(ring("rns4"), 3, 0), 3u);
  EXPECT_EQ(panel_column(ring("rns4"), 0, 1), 4u);
  EXPECT_EQ(panel_column(ring("rns4"), 4, 0), 64u);
  EXPECT_EQ(panel_column(ring("rns4"), 6, 35), 64u + 3 * 4 + 2);
}

TEST(Panels, PutSixteenColumnsOfADepthSideBySideInM31) {
  EXPECT_EQ(panel_column(ring("m31"), 0, 15), 15u);
  EXPECT_EQ(panel_column(ring("m31"), 6, 35), 6u * 16 + 3);
}

TEST(Panels, PadTheDepthToFourAndTheWidthToSixteen) {
  EXPECT_EQ(padded_depth(0), 0u);
  EXPECT_EQ(padded_depth(5), 8u);
  EXPECT_EQ(panel_rows(16), 1u);
  EXPECT_EQ(panel_rows(17), 2u);
  EXPECT_EQ(panel_cols(5), 128u);
}

TEST(Panels, HoldEveryElementOnceAndZeroElsewhere) {
  for (const char* name : {"rns4", "m31"}) {
    for (std::size_t width : {1u, 16u, 37u}) {
      for (std::size_t inputs : {0u, 1u, 4u, 11u}) {
        // Given W^T with a number of its own in every place, and noise where the panels go.
        std::vector<std::int32_t> w(width * inputs);
        std::iota(w.begin(), w.end(), 1);
        std::vector<std::int32_t> panels(panel_rows(width) * panel_cols(inputs), -7);
        order_panels(ring(name), w, width, inputs, panels);
        // Then taking each element out of its place leaves nothing but zeros.
        for (std::size_t j = 0; j < width; ++j) {
          for (std::size_t d = 0; d < inputs; ++d) {
            auto& at = panels[j / 16 * panel_cols(inputs) + panel_column(ring(name), d, j)];
            ASSERT_EQ(at, w[j * inputs + d]);
            at = 0;
          }
        }
        for (std::int32_t left : panels) ASSERT_EQ(left, 0);
      }
    }
  }
}

TEST(Panels, OfManySendersArePastedSideBySide) {
  // Given two senders with 8 and 4 inputs, then their panels beside each other are those of all 12.
  std::vector<std::int32_t> all(20 * 12), first, second;
  std::iota(all.begin(), all.end(), 1);
  for (std::size_t j = 0; j < 20; ++j) {
    first.insert(first.end(), &all[j * 12], &all[j * 12] + 8);
    second.insert(second.end(), &all[j * 12] + 8, &all[j * 12] + 12);
  }
  const auto matrix = [](const Ring& ring, const std::vector<std::int32_t>& w, std::size_t inputs) {
    std::vector<std::int32_t> panels(panel_rows(20) * panel_cols(inputs));
    order_panels(ring, w, 20, inputs, panels);
    return RingMatrix::from_integers(ring, panel_rows(20), panel_cols(inputs), panels);
  };
  for (const char* name : {"rns4", "m31"}) {
    RingMatrix joined(ring(name), panel_rows(20), panel_cols(12));
    joined.paste(matrix(ring(name), first, 8), 0, 0);
    joined.paste(matrix(ring(name), second, 4), 0, 16 * 8);
    EXPECT_TRUE(joined == matrix(ring(name), all, 12));
  }
}

}  // namespace
}  // namespace fedvs::field
