#include "fedvs/net/wire/envelope.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <functional>

#include "fedvs/v1/party.pb.h"
#include "tests/support/wire_samples.h"

namespace fedvs::wire {
namespace {

using fedvs::testing::wire_agreement;
using fedvs::testing::WireSamples;
using ::testing::AllOf;
using ::testing::HasSubstr;

class EnvelopeTest : public ::testing::Test {
 protected:
  std::string refusal(const std::string& bytes) const {
    const auto read = decode_envelope(limits_, bytes);
    EXPECT_FALSE(read) << "nothing was refused";
    if (read) return "";
    EXPECT_EQ(read.error().code, ErrorCode::kRefused);
    return read.error().message;
  }
  std::string refusal(const Envelope& sample,
                      const std::function<void(v1::Envelope&)>& change) const {
    v1::Envelope envelope;
    EXPECT_TRUE(envelope.ParseFromString(encode(sample)));
    EXPECT_TRUE(decode_envelope(limits_, envelope.SerializeAsString()));
    change(envelope);
    return refusal(envelope.SerializeAsString());
  }
  const protocol::Agreement agreement_ = wire_agreement("rns4");
  const EnvelopeLimits limits_{.parties = 7, .contents = 1000};
  WireSamples samples_{agreement_, 1};
};

TEST_F(EnvelopeTest, EveryContentComesBackAsItWas) {
  for (const Envelope& envelope : samples_.envelopes()) {
    EXPECT_EQ(decode_envelope(limits_, encode(envelope)).value(), envelope);
  }
}

TEST_F(EnvelopeTest, LargeContentsComeBackAsTheyWere) {
  const EnvelopeLimits limits{.parties = 7, .contents = 8 << 20};
  Sealed sealed = samples_.sealed();
  sealed.sealed.assign((8 << 20) + 40, '\x9c');
  EXPECT_EQ(decode_envelope(limits, encode(sealed)).value(), Envelope(sealed));
  const OpenMessage open{std::string(8 << 20, '\0')};
  EXPECT_EQ(decode_envelope(limits, encode(open)).value(), Envelope(open));
}

TEST_F(EnvelopeTest, FieldsOfALaterMinorVersionAreIgnored) {
  const Envelope envelope = samples_.introduction();
  EXPECT_EQ(decode_envelope(limits_, encode(envelope) + "\xa0\x06\x2a").value(), envelope);
}

TEST_F(EnvelopeTest, AnotherVersionIsNamedBesideOurs) {
  for (const std::uint32_t other : {kProtocolVersion - 1, kProtocolVersion + 1}) {
    EXPECT_THAT(refusal(samples_.sealed(), [&](auto& e) { e.set_version(other); }),
                AllOf(HasSubstr(fmt::format("it speaks version {} of the protocol", other)),
                      HasSubstr(fmt::format("this party version {}", kProtocolVersion)),
                      HasSubstr("same version of fedvs")));
  }
  const auto inside = [](auto& e) { e.mutable_introduction()->set_protocol_version(9); };
  EXPECT_THAT(refusal(samples_.introduction(), inside), HasSubstr("version 9"));
  EXPECT_THAT(refusal(""), HasSubstr("version 0"));
}

TEST_F(EnvelopeTest, BytesThatAreNoEnvelope) {
  EXPECT_THAT(refusal("\x0a\xff"), HasSubstr("cannot be parsed"));
  EXPECT_THAT(refusal("\x08\x03"), HasSubstr("no content"));
  EXPECT_THAT(refusal(std::string(100000, 'x')), HasSubstr("100000 bytes, where"));
}

TEST_F(EnvelopeTest, MessagesBeforeThereIsAnAgreementAreRefused) {
  const EnvelopeLimits before{.parties = 7, .contents = 0};
  EXPECT_TRUE(decode_envelope(before, encode(samples_.introduction())));
  EXPECT_TRUE(decode_envelope(before, encode(samples_.terms())));
  EXPECT_FALSE(decode_envelope(before, encode(samples_.sealed())));
  EXPECT_FALSE(decode_envelope(before, encode(OpenMessage{"x"})));
}

TEST_F(EnvelopeTest, ContentsThatAreEmptyOrTooLarge) {
  EXPECT_THAT(refusal(encode(OpenMessage{""})), HasSubstr("0 bytes of a message"));
  EXPECT_THAT(refusal(encode(OpenMessage{std::string(1001, 'x')})),
              AllOf(HasSubstr("1001 bytes of a message"), HasSubstr("1 to 1000")));
  const auto large = [](auto& e) { e.mutable_sealed()->set_sealed(std::string(1257, 'x')); };
  EXPECT_THAT(refusal(samples_.sealed(), large), HasSubstr("1257 sealed bytes"));
  EXPECT_THAT(refusal(samples_.sealed(), [](auto& e) { e.mutable_sealed()->clear_sealed(); }),
              HasSubstr("0 sealed bytes"));
}

TEST_F(EnvelopeTest, SealedBetweenClientsOfTheJobOnly) {
  EXPECT_THAT(refusal(samples_.sealed(), [](auto& e) { e.mutable_sealed()->set_from(7); }),
              HasSubstr("client 8 of 7"));
  EXPECT_THAT(refusal(samples_.sealed(), [](auto& e) { e.mutable_sealed()->set_to(0xffffffffu); }),
              HasSubstr("client 4294967296 of 7"));
  EXPECT_THAT(refusal(samples_.sealed(), [](auto& e) { e.mutable_sealed()->set_to(1); }),
              HasSubstr("client 2 to itself"));
  EXPECT_THAT(refusal(samples_.sealed(), [](auto& e) { e.mutable_sealed()->set_kind(999); }),
              HasSubstr("kind 999"));
}

TEST_F(EnvelopeTest, IntroductionsWithoutNameDigestsFeaturesOrRows) {
  const auto refused_for = [&](const std::function<void(v1::Introduction&)>& change) {
    return refusal(samples_.introduction(), [&](auto& e) { change(*e.mutable_introduction()); });
  };
  EXPECT_THAT(refused_for([](auto& i) { i.clear_name(); }), HasSubstr("a name of 0 bytes"));
  EXPECT_THAT(refused_for([](auto& i) { i.set_name(std::string(129, 'x')); }),
              HasSubstr("a name of 129 bytes"));
  EXPECT_THAT(refused_for([](auto& i) { i.set_name("a\nb"); }), HasSubstr("plain text"));
  EXPECT_THAT(refused_for([](auto& i) { i.clear_job_digest(); }), HasSubstr("of 0 bytes"));
  EXPECT_THAT(refused_for([](auto& i) { i.set_roster_digest("x"); }), HasSubstr("of 1 bytes"));
  EXPECT_THAT(refused_for([](auto& i) { i.set_data_id("x"); }), HasSubstr("of 1 bytes"));
  EXPECT_THAT(refused_for([](auto& i) { i.set_features(0); }), HasSubstr("0 features"));
  EXPECT_THAT(refused_for([](auto& i) { i.set_features(1u << 25); }), HasSubstr("33554432"));
  EXPECT_THAT(refused_for([](auto& i) { i.set_rows(~std::uint64_t{0}); }), HasSubstr("rows"));
}

TEST_F(EnvelopeTest, TermsThatCannotBeAgreedOn) {
  const auto refused_for = [&](const std::function<void(v1::Terms&)>& change) {
    return refusal(samples_.terms(), [&](auto& e) { change(*e.mutable_terms()); });
  };
  EXPECT_THAT(refused_for([](auto& t) { t.add_features(1); }),
              HasSubstr("features of 8 clients instead of 7"));
  EXPECT_THAT(refused_for([](auto& t) { t.set_features(2, 0); }), HasSubstr("0 features"));
  EXPECT_THAT(refused_for([](auto& t) { t.add_versions(1); }),
              HasSubstr("versions of 8 clients instead of 7"));
  EXPECT_THAT(refused_for([](auto& t) { t.set_classes(0); }), HasSubstr("0 classes"));
  EXPECT_THAT(refused_for([](auto& t) { t.set_total_rows(749); }),
              HasSubstr("750 rows in all parts"));
  EXPECT_THAT(refused_for([](auto& t) { t.set_train_rows(~std::uint64_t{0}); }),
              HasSubstr("rows in a part"));
  EXPECT_THAT(refused_for([](auto& t) { t.set_run_id("x"); }), HasSubstr("of 1 bytes"));
  EXPECT_THAT(refused_for([](auto& t) { t.clear_row_ids(); }), HasSubstr("of 0 bytes"));
}

}  // namespace
}  // namespace fedvs::wire
