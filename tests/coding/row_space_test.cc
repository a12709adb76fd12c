#include "fedvs/coding/row_space.h"

#include <gtest/gtest.h>

#include "tests/support/flint.h"
#include "tests/support/rings.h"

namespace fedvs::coding {
namespace {

using fedvs::testing::seeded;
using field::Residue;

// By FLINT.
std::size_t rank_of(const std::vector<std::vector<Residue>>& rows, std::uint32_t prime) {
  nmod_mat_t matrix;
  nmod_mat_init(matrix, static_cast<slong>(rows.size()), static_cast<slong>(rows[0].size()), prime);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[0].size(); ++c) {
      nmod_mat_entry(matrix, static_cast<slong>(r), static_cast<slong>(c)) = rows[r][c];
    }
  }
  const auto rank = static_cast<std::size_t>(nmod_mat_rank(matrix));
  nmod_mat_clear(matrix);
  return rank;
}

TEST(RowSpace, HasTheRankThatFlintFindsRowAfterRow) {
  Prng random = seeded(1);
  for (std::uint32_t prime : {2u, 3u, 5u, 127u, 131u, 233u, 251u, 0x7fffffffu}) {
    for (std::size_t width : {1, 2, 7, 20}) {
      // Given rows with many values 0 and p-1, some of them twice,
      RowSpace space(width, prime);
      std::vector<std::vector<Residue>> rows;
      for (std::size_t r = 0; r < width + 3; ++r) {
        std::vector<Residue> row(width);
        for (Residue& value : row) {
          const std::uint64_t draw = random.next_u64();
          value = draw % 4 == 0   ? 0
                  : draw % 4 == 1 ? prime - 1
                                  : static_cast<Residue>((draw >> 8) % prime);
        }
        if (r % 3 == 2) row = rows[r - 1];
        // when one more is added, then the rank is that of all so far.
        rows.push_back(row);
        space.add(row);
        EXPECT_EQ(space.rank(), rank_of(rows, prime)) << prime << " " << width;
      }
    }
  }
}

}  // namespace
}  // namespace fedvs::coding
