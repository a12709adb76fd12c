#include "fedvs/base/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace fedvs {
namespace {

const std::vector<std::string> kKeys{"epochs", "batch_size", "lr_client", "lr_server", "ring"};

TEST(Nearest, FindsTheWordThatWasMeant) {
  EXPECT_EQ(nearest("epoch", kKeys), "epochs");
  EXPECT_EQ(nearest("batchsize", kKeys), "batch_size");
  EXPECT_EQ(nearest("lr_sever", kKeys), "lr_server");
  EXPECT_EQ(nearest("rign", kKeys), "ring");  // two neighbours swapped are one slip
}

TEST(Nearest, SaysNothingWhenNothingIsNear) {
  EXPECT_EQ(nearest("temperature", kKeys), "");
  EXPECT_EQ(nearest("ring", {}), "");
}

TEST(Nearest, TakesTheFirstOfEquals) {
  const std::vector<std::string> pair{"rns4", "rns5"};
  EXPECT_EQ(nearest("rns3", pair), "rns4");
}

}  // namespace
}  // namespace fedvs
