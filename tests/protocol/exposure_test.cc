// The formula of docs/privacy.md, "What exact sums tell".
#include "fedvs/protocol/exposure.h"

#include <gmock/gmock.h>

#include "fedvs/job/parse.h"

namespace fedvs::protocol {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// h = 4, six epochs: 24 numbers per row. T = 1.
Agreement agreement(const std::vector<int>& features, const std::string& more = "code.K=1") {
  const Job job = complete_job({.toml = std::nullopt,
                                .sets = {"data.name=synthetic", "model.width=4", "train.epochs=6",
                                         "model.degrees=2", more}})
                      .value();
  return agree(job, features, {700, 0, 300}, 2).value();
}

TEST(Exposure, OfOneGroupIsOverAllButTheWidestClients) {
  const auto exposure = exposure_of(agreement({10, 20, 30, 40, 50}));
  EXPECT_DOUBLE_EQ(exposure.largest(), 24.0 / 100);
  EXPECT_DOUBLE_EQ(exposure.of_group(), exposure.of_all());
  EXPECT_TRUE(exposure.above_limit());
  EXPECT_THAT(exposure.text(), AllOf(HasSubstr("exposure 0.24"), HasSubstr("over the 100 columns"),
                                     Not(HasSubstr("group")), HasSubstr("not sufficient")));
}

TEST(Exposure, BeforeGroupsAreFormedTheNarrowestThatMayCome) {
  // Given groups of three, of which one client may collude with the server,
  const auto exposure = exposure_of(agreement({10, 200, 30, 400, 500, 600}));
  EXPECT_DOUBLE_EQ(exposure.largest(), 24.0 / (10 + 30));
  EXPECT_DOUBLE_EQ(exposure.of_all(), 24.0 / (10 + 200 + 30 + 400 + 500));
  EXPECT_THAT(exposure.text(), HasSubstr("that may form"));
}

TEST(Exposure, OfGroupsThatAreKnownTheOneThatFaresWorst) {
  const Groups groups{{0, 3, 4}, {1, 2, 5}};
  const auto exposure = exposure_of(agreement({10, 200, 30, 400, 500, 600}), &groups);
  EXPECT_DOUBLE_EQ(exposure.largest(), 24.0 / (200 + 30));
  EXPECT_FALSE(exposure.above_limit());
  EXPECT_THAT(exposure.text(), AllOf(HasSubstr("of the narrowest group"),
                                     HasSubstr("not sufficient"), Not(HasSubstr("lower it"))));
}

TEST(Exposure, PowersOfAColumnTellNoMoreThanTheColumn) {
  const auto one = exposure_of(agreement({10, 20, 30}, "model.degrees=1"));
  const auto three = exposure_of(agreement({10, 20, 30}, "model.degrees=3"));
  EXPECT_EQ(one.largest(), three.largest());
}

TEST(Exposure, BeforeColumnsAreKnownWhatTheLimitAsksFor) {
  const Job job = complete_job({.toml = std::nullopt,
                                .sets = {"data.name=parties", "model.width=4", "train.epochs=6"}})
                      .value();
  // 24 / 0.2 = 120: more than that.
  EXPECT_THAT(exposure_before_columns(job, 6),
              AllOf(HasSubstr("opened 6 times"), HasSubstr("the 2 narrowest"),
                    HasSubstr("121 columns"), HasSubstr("not sufficient")));
  EXPECT_THAT(exposure_before_columns(job, 5), HasSubstr("the 4 narrowest"));
}

}  // namespace
}  // namespace fedvs::protocol
