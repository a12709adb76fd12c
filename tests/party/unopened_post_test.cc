#include "fedvs/party/unopened_post.h"

#include <gtest/gtest.h>

namespace fedvs::party {
namespace {

constexpr std::size_t kClients = 4;
constexpr std::size_t kEach = UnopenedPost::kMost / kClients;

wire::Sealed sealed(int from, std::uint64_t id, std::size_t bytes = 1) {
  return {
      .from = from, .to = 0, .kind = 1, .id = id, .position = 0, .sealed = std::string(bytes, 'x')};
}

TEST(UnopenedPost, GivesBackWhatItKeptInOrderAndOnce) {
  UnopenedPost post(kClients);
  for (const int from : {1, 2, 1}) post.keep(sealed(from, 10 + static_cast<std::uint64_t>(from)));
  const auto all = post.take_all();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1], sealed(2, 12));
  EXPECT_TRUE(post.take_all().empty());
}

TEST(UnopenedPost, OfASenderOfManyTheNewestAreKeptAndNobodyElseLosesAny) {
  UnopenedPost post(kClients);
  post.keep(sealed(1, 0));
  for (std::uint64_t id = 0; id < 3 * kEach; ++id) post.keep(sealed(2, id));
  const auto all = post.take_all();
  ASSERT_EQ(all.size(), 1 + kEach);
  EXPECT_EQ(all.front(), sealed(1, 0));
  EXPECT_EQ(all[1].id, 2 * kEach);
  EXPECT_EQ(all.back().id, 3 * kEach - 1);
}

TEST(UnopenedPost, AFewOfEachAreKeptHoweverManyClientsThereAre) {
  UnopenedPost post(10 * UnopenedPost::kMost);
  for (std::uint64_t id = 0; id < 2 * UnopenedPost::kFewest; ++id) post.keep(sealed(2, id));
  EXPECT_EQ(post.take_all().size(), UnopenedPost::kFewest);
}

TEST(UnopenedPost, LargeOnesPushOutOlderOnesOfTheirSender) {
  UnopenedPost post(kClients);
  const std::size_t half = UnopenedPost::kMostBytes / kClients / 2;
  post.keep(sealed(1, 0, half));
  post.keep(sealed(2, 0, half));
  post.keep(sealed(2, 1, half));
  post.keep(sealed(2, 2, half));
  const auto all = post.take_all();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].from, 1);
  EXPECT_EQ(all[1].id, 1u);
}

TEST(UnopenedPost, OneMessageIsKeptWhateverItsSize) {
  UnopenedPost post(kClients);
  post.keep(sealed(1, 0));
  post.keep(sealed(1, 1, UnopenedPost::kMostBytes));
  const auto all = post.take_all();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].id, 1u);
}

}  // namespace
}  // namespace fedvs::party
