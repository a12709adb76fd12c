#include "fedvs/data/row_ids.h"

#include <gmock/gmock.h>
#include <openssl/hmac.h>

namespace fedvs::data {
namespace {

RowIds rows(std::vector<std::string> ids) { return {.path = "", .ids = std::move(ids)}; }
Digest digest(const RowIds& of) { return row_ids_digest(nullptr, of); }

TEST(RowIdsDigest, IsTheSameForTheSameRowsWhateverTheFile) {
  RowIds here = rows({"a", "b"}), there = rows({"a", "b"});
  there.path = "elsewhere.csv";
  EXPECT_EQ(digest(here), digest(there));
}

TEST(RowIdsDigest, TellsListsApartThatReadAlikeInARow) {
  EXPECT_NE(digest(rows({"ab", "c"})), digest(rows({"a", "bc"})));
  EXPECT_NE(digest(rows({"ab"})), digest(rows({"a", "b"})));
  EXPECT_NE(digest(rows({"1"})), digest(rows({"1.0"})));
  EXPECT_NE(digest(rows({"a"})), digest(rows({"a", ""})));
}

TEST(RowIdsDigest, CoversPartsAndSubjects) {
  RowIds plain = rows({"a", "b"}), first = plain, second = plain, of_one = plain, of_two = plain;
  first.test = {true, false};
  second.test = {false, true};
  of_one.subjects = {0, 0};
  of_two.subjects = {0, 1};
  const std::vector<Digest> all = {digest(plain), digest(first), digest(second), digest(of_one),
                                   digest(of_two)};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(all[i], all[j]) << i << " and " << j;
}

TEST(RowIdsDigest, WithAKeyIsOpenSslsHmacOfTheOneWithout) {
  Key256 key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(7 * i + 1);
  const RowIds some = rows({"p1", "p2", "p3"});
  const Digest message = digest(some);
  Digest expected;
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), message.data(), message.size(),
       expected.data(), &size);
  ASSERT_EQ(size, expected.size());
  EXPECT_EQ(row_ids_digest(&key, some), expected);
  key[31] ^= 1;
  EXPECT_NE(row_ids_digest(&key, some), expected);
}

}  // namespace
}  // namespace fedvs::data
