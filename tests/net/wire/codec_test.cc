#include "fedvs/net/wire/codec.h"

#include <gmock/gmock.h>

#include <set>

#include "fedvs/field/combine.h"
#include "fedvs/protocol/message_form.h"
#include "fedvs/v1/protocol.pb.h"
#include "tests/net/wire/same_message.h"
#include "tests/support/wire_samples.h"

namespace fedvs::wire {
namespace {

using fedvs::testing::expect_same;
using fedvs::testing::wire_agreement;
using fedvs::testing::WireSamples;
using ::testing::HasSubstr;

void expect_round_trip(const protocol::Agreement& agreement, const protocol::Message& message) {
  SCOPED_TRACE(kind_name(kind_of(message)));
  const auto read = decode(agreement, encode(message));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(protocol::check_form(agreement, **read));
  expect_same(message, **read);
}

TEST(Codec, EveryKindComesBackAsItWasInEveryRing) {
  for (const std::string& ring : field::Ring::names()) {
    SCOPED_TRACE(ring);
    const auto agreement = wire_agreement(ring);
    std::set<std::size_t> kinds;
    for (const auto& message : WireSamples(agreement, 1).all()) {
      expect_round_trip(agreement, message);
      kinds.insert(message.index());
    }
    EXPECT_EQ(kinds.size(), std::variant_size_v<protocol::Message>);
  }
}

TEST(Codec, MessagesOfARealJobComeBackAsTheyWere) {
  // Fashion-MNIST's columns over ten clients, the demo's width and batch.
  const auto agreement = wire_agreement("rns4", 10, 79, {"model.width=64", "train.batch_size=256"});
  for (const auto& message : WireSamples(agreement, 2).all()) expect_round_trip(agreement, message);
}

TEST(Codec, AnUploadPackedTightlyTakesItsElementsAndLittleMore) {
  // 17 columns of one byte are padded to 64 in memory.
  const auto agreement = wire_agreement("rns4", 7, 2, {"model.width=17", "train.batch_size=100"});
  const auto upload = WireSamples(agreement, 3).upload();
  const std::string bytes = encode(upload);
  const std::size_t values = agreement.batch_rows() * 17 * 4;
  EXPECT_GE(bytes.size(), values);
  EXPECT_LE(bytes.size(), values + 220);
}

// A share that its sender has not made yet.
class TwoTerms final : public protocol::Secret {
 public:
  TwoTerms(const field::Ring& ring, std::size_t rows, std::size_t cols)
      : Secret(ring, rows, cols), ring_(ring) {}

 private:
  std::vector<field::RingMatrix> draw() const override {
    Prng random = fedvs::testing::seeded(5);
    return fedvs::testing::random_matrices(ring_, 2, rows(), cols(), random);
  }
  const field::Ring& ring_;
};

TEST(Codec, AShareThatIsNotBytesYetBecomesTheRecipientsOnly) {
  const auto agreement = wire_agreement("rns4");
  auto share = WireSamples(agreement, 4).model_share();
  const auto secret =
      std::make_shared<const TwoTerms>(agreement.ring, share.values->rows(), share.values->cols());
  const auto code = coding::LagrangeCode::create(agreement.ring, agreement.shape).value();
  share.values = protocol::share_of(protocol::shares_of(secret, code), 2);
  const auto read = decode(agreement, encode(share)).value();
  const auto& values = std::get<protocol::ModelShare>(*read).values;
  EXPECT_EQ(values->secret(), nullptr);
  EXPECT_TRUE(values->matrix() == share.values->matrix());
}

TEST(Codec, WhatIsAbsentOrEmptyStaysSo) {
  const auto agreement = wire_agreement("m31");
  WireSamples samples(agreement, 5);
  auto data = samples.data_share();
  data.values = nullptr;
  auto model = samples.model_share();
  model.values = nullptr;
  auto empty = samples.model_share();
  empty.values = protocol::share_of(field::RingMatrix(agreement.ring, 0, 0));
  auto upload = samples.upload();
  upload.values = std::make_shared<const field::RingMatrix>();
  for (const protocol::Message& message : std::vector<protocol::Message>{data, model, upload}) {
    expect_same(message, *decode(agreement, encode(message)).value());
  }
  const auto read = decode(agreement, encode(empty)).value();
  ASSERT_NE(std::get<protocol::ModelShare>(*read).values, nullptr);
  EXPECT_EQ(std::get<protocol::ModelShare>(*read).values->rows(), 0u);
}

TEST(Codec, AnotherProtobufParserReadsTheSameFields) {
  const auto agreement = wire_agreement("rns4");
  for (const auto& message : WireSamples(agreement, 6).all()) {
    v1::Message parsed;
    ASSERT_TRUE(parsed.ParseFromString(encode(message)));
    EXPECT_EQ(static_cast<std::uint32_t>(parsed.kind_case()), kind_of(message));
    // And what generated code writes is read here.
    expect_same(message, *decode(agreement, parsed.SerializeAsString()).value());
  }
  const auto upload = WireSamples(agreement, 6).upload();
  v1::Message parsed;
  ASSERT_TRUE(parsed.ParseFromString(encode(upload)));
  EXPECT_EQ(parsed.upload().revision(), upload.revision);
  ASSERT_EQ(parsed.values().size(), upload.values->wire_bytes());
  const std::size_t rows = upload.values->rows(), cols = upload.values->cols();
  for (std::size_t i = 0; i < parsed.values().size(); ++i) {
    const auto plane = static_cast<int>(i / (rows * cols));
    EXPECT_EQ(static_cast<std::uint8_t>(parsed.values()[i]),
              upload.values->get(plane, i / cols % rows, i % cols));
  }
}

TEST(Codec, FieldsOfALaterMinorVersionAreIgnored) {
  const auto agreement = wire_agreement("rns4");
  for (const auto& message : WireSamples(agreement, 7).all()) {
    v1::Message parsed;
    ASSERT_TRUE(parsed.ParseFromString(encode(message)));
    std::string bytes = parsed.SerializeAsString();
    // Field 100 of the outermost message: a number, then bytes; then a field 15 of the head.
    bytes += std::string("\xa0\x06\x2a", 3) + std::string("\xa2\x06\x02hi", 5);
    expect_same(message, *decode(agreement, bytes).value());
  }
  // In a head: field 100 of a report request, which has none of its own.
  const std::string bytes("\x62\x03\xa0\x06\x01", 5);
  EXPECT_TRUE(std::holds_alternative<protocol::ReportRequest>(*decode(agreement, bytes).value()));
}

TEST(Codec, ReasonsAreCutAndMadePrintable) {
  const auto agreement = wire_agreement("rns4");
  const protocol::Farewell long_one{protocol::Ending::kFailed, std::string(10000, 'x')};
  const auto read = decode(agreement, encode(long_one)).value();
  EXPECT_EQ(std::get<protocol::Farewell>(*read).reason, std::string(4096, 'x'));
  v1::Message escape;
  escape.mutable_refusal()->set_reason("gone\x1b[2J\xff");
  const auto shown = decode(agreement, escape.SerializeAsString()).value();
  EXPECT_EQ(std::get<protocol::Refusal>(*shown).reason, "gone?[2J?");
}

TEST(Codec, TheLongestStepOfAJobFits) {
  // Every list full, every number as long as it gets.
  const auto agreement = wire_agreement("rns4", 60, 1, {"model.width=3", "train.batch_size=200"});
  WireSamples samples(agreement, 8);
  protocol::Step step = samples.step();
  protocol::Plan plan = *step.plan;
  plan.round = plan.revision = ~std::uint64_t{0};
  plan.epoch = 2147483647;
  plan.rows.assign(agreement.most_rows(), 299);
  plan.versions.assign(60, protocol::Version{~std::uint64_t{0}, samples.incarnation()});
  step.plan = std::make_shared<const protocol::Plan>(plan);
  step.gradient = std::make_shared<const protocol::Gradient>(
      step.plan, std::vector<float>(agreement.most_rows() * 3 * 2, 0.5f));
  protocol::Groups groups;
  for (int n = 0; n < 60; ++n) groups.push_back({n});
  step.groups = std::make_shared<const protocol::Groups>(groups);
  expect_round_trip(agreement, step);
  EXPECT_LE(encode(step).size(), largest_message(agreement));
}

TEST(Codec, AJobWhoseMessagesAreTooLargeForANetworkIsRefusedBeforeItRuns) {
  EXPECT_TRUE(check_message_sizes(wire_agreement("rns4")));
  const auto wide = wire_agreement("rns8", 7, 600000, {"model.width=200"});
  const auto status = check_message_sizes(wide);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kBadJob);
  EXPECT_THAT(status.error().message, HasSubstr("more clients"));
}

TEST(Codec, KindsHaveNames) {
  EXPECT_EQ(kind_name(kind_of(protocol::ReportRequest{})), "report request");
  EXPECT_EQ(kind_name(7), "model share");
  EXPECT_EQ(kind_name(99), "kind 99");
  EXPECT_EQ(kind_name(0), "kind 0");
}

}  // namespace
}  // namespace fedvs::wire
