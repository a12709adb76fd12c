// The status for programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "fedvs/status/text.h"
#include "tests/status/sample_status.h"

namespace fedvs::status {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(StatusJson, HasEveryFieldUnderItsName) {
  const json run = json::parse(status_json(sample_status()));
  EXPECT_EQ(run.at("job"), "credit-card");
  EXPECT_EQ(run.at("round"), 341);
  EXPECT_EQ(run.at("needed"), 5);
  EXPECT_EQ(run.at("accuracy"), 0.851);
  EXPECT_EQ(run.at("relayed_bytes"), 1'234'567'890);
  EXPECT_EQ(run.at("events").size(), 2u);
  EXPECT_EQ(run.at("exposure"), 8.57);
  EXPECT_EQ(run.size(), 26u) << "as many keys as party::RunStatus has fields";
  const json& slow = run.at("clients").at(1);
  EXPECT_EQ(slow.at("name"), "bank-b");
  EXPECT_EQ(slow.at("late_seconds"), 3.25);
  EXPECT_EQ(slow.at("missed"), 37);
  EXPECT_EQ(slow.at("bytes_in"), 12'345'678);
  EXPECT_EQ(slow.size(), 14u) << "as many keys as party::ClientStatus has fields";
}

TEST(StatusJson, IsReadBackAsItWas) {
  const std::string text = status_json(sample_status());
  const auto read = parse_status(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(status_json(*read), text);
  EXPECT_EQ(read->clients.size(), 7u);
  EXPECT_TRUE(read->clients[3].dead);
  EXPECT_EQ(read->clients[6].late_seconds, -1);
  EXPECT_EQ(read->progress.accuracy, 0.851);
  EXPECT_EQ(read->events.back(), "09:31:12 lab is dead");
}

TEST(StatusJson, TellsHowFarEveryPairIsWhileRowsAreShared) {
  const auto read = parse_status(status_json(sharing_status()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->clients[1].rows_of, sharing_status().clients[1].rows_of);
  EXPECT_EQ(read->rows.seconds_left, 90);
  EXPECT_TRUE(json::parse(status_json(sample_status())).at("sharing_seconds_left").is_null());
}

TEST(StatusJson, WhatIsNotKnownIsNull) {
  party::RunStatus status = sample_status();
  status.progress.accuracy.reset();
  status.progress.loss = std::numeric_limits<double>::quiet_NaN();
  status.rounds_per_second = std::numeric_limits<double>::infinity();
  const json run = json::parse(status_json(status));
  EXPECT_TRUE(run.at("accuracy").is_null());
  EXPECT_TRUE(run.at("loss").is_null());
  EXPECT_TRUE(run.at("rounds_per_second").is_null());
  EXPECT_TRUE(run.at("clients").at(6).at("late_seconds").is_null());
  const auto read = parse_status(run.dump());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->progress.accuracy.has_value());
  EXPECT_TRUE(std::isnan(read->progress.loss));
  EXPECT_EQ(read->clients[6].late_seconds, -1);
}

TEST(StatusJson, BytesThatAreNoTextDoNoHarm) {
  party::RunStatus status = sample_status();
  status.events = {"caf\xe9 \"quoted\"\n"};
  const auto read = parse_status(status_json(status));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->events.at(0), HasSubstr("\"quoted\"\n"));
}

TEST(StatusJson, KeysOfANewerServerArePassedOver) {
  json run = json::parse(status_json(sample_status()));
  run["invented_later"] = {1, 2, 3};
  run["clients"][0]["invented_later"] = true;
  EXPECT_TRUE(parse_status(run.dump()));
}

TEST(StatusJson, EveryKeyIsNeededAndOfItsKind) {
  const json whole = json::parse(status_json(sample_status()));
  const auto expect_refused = [](const json& changed, const std::string& key) {
    const auto read = parse_status(changed.dump());
    ASSERT_FALSE(read) << key;
    EXPECT_EQ(read.error().code, ErrorCode::kBadData);
    EXPECT_THAT(read.error().message, HasSubstr("\"" + key + "\""));
  };
  for (const auto& [key, value] : whole.items()) {
    json without = whole, other = whole;
    without.erase(key);
    expect_refused(without, key);
    other[key] = json::object();
    expect_refused(other, key);
  }
  for (const auto& [key, value] : whole.at("clients").at(0).items()) {
    json without = whole, other = whole;
    without["clients"][0].erase(key);
    expect_refused(without, key);
    other["clients"][0][key] = json::object();
    expect_refused(other, key);
  }
}

TEST(StatusJson, WhatIsNoStatusIsRefused) {
  for (const char* text : {"", "<html></html>", "[]", "{", "{}", "null", "{\"clients\":[1]}"}) {
    const auto read = parse_status(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr("no status of a FedVS server"));
  }
  json run = json::parse(status_json(sample_status()));
  run["epoch"] = 1e10;
  EXPECT_FALSE(parse_status(run.dump()));
  run["epoch"] = 10'000'000'000;
  EXPECT_FALSE(parse_status(run.dump())) << "does not fit the field";
  run["epoch"] = 1;
  run["round"] = -1;
  EXPECT_FALSE(parse_status(run.dump()));
}

}  // namespace
}  // namespace fedvs::status
