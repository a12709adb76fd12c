#include "fedvs/protocol/per_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fedvs::protocol {
namespace {

using ::testing::ElementsAre;

template <class T>
std::vector<T> all(const PerClient<T>& values) {
  return {values.begin(), values.end()};
}

TEST(PerClient, StartsWithTheInitialValueForEveryClient) {
  const PerClient<std::string> names(3, "nobody");
  EXPECT_EQ(names.size(), 3);
  EXPECT_THAT(all(names), ElementsAre("nobody", "nobody", "nobody"));
}

TEST(PerClient, IsIndexedByAClientsNumber) {
  PerClient<int> steps(3, 0);
  steps[2] = 7;
  EXPECT_EQ(steps[2], 7);
  EXPECT_THAT(all(steps), ElementsAre(0, 0, 7));
}

TEST(PerClient, OfFlagsCanBeWrittenLikeAnyOther) {
  PerClient<bool> released(2, false);
  released[1] = true;
  EXPECT_THAT(all(released), ElementsAre(false, true));
}

TEST(PerClient, WithoutClientsIsEmpty) { EXPECT_EQ(PerClient<int>().size(), 0); }

}  // namespace
}  // namespace fedvs::protocol
