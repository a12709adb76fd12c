#include "fedvs/experiments/origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fedvs::experiments {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Row = std::vector<std::string>;

TEST(OriginOf, WhatARunDoesNotSayIsUnknown) {
  EXPECT_EQ(origin_of(json{{"commit", "abc"}, {"machine", "m"}}), (Origin{"abc", "m"}));
  EXPECT_EQ(origin_of(json::object()), Origin{});  // of a program that did not write it
  EXPECT_EQ(origin_of(json{{"commit", 7}}), Origin{});
}

TEST(Origins, OfOneBuildOnOneMachineAreNoMixture) {
  EXPECT_THAT(mixture_of({}), IsEmpty());
  EXPECT_THAT(mixture_of({{"a", {"1", "m"}}, {"b", {"1", "m"}}}), IsEmpty());
  EXPECT_THAT(mixture_of({{"a", {}}, {"b", {}}}), IsEmpty());
}

TEST(Origins, OfSeveralAreSaidToBeAMixtureAndCounted) {
  const Origins origins = {{"a", {"1", "m"}}, {"b", {"2", "m"}}, {"c", {"2", "m"}}, {"d", {}}};
  EXPECT_THAT(mixture_of(origins),
              AllOf(HasSubstr("mixture"), HasSubstr("3 commits"), HasSubstr("2 machines")));
  EXPECT_THAT(mixture_of({{"a", {"1", "m"}}, {"b", {"1", "n"}}}),
              AllOf(HasSubstr("1 commit and"), HasSubstr("2 machines")));
  EXPECT_THAT(origin_section(origins).tables.at(0).rows,
              ElementsAre(Row{"unknown", "unknown", "1"}, Row{"1", "m", "1"}, Row{"2", "m", "2"}));
}

}  // namespace
}  // namespace fedvs::experiments
