// Who and what is refused, and that the reason is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fedvs/base/log.h"
#include "fedvs/net/transport/frame.h"
#include "tests/net/transport/network.h"
#include "tests/net/transport/raw_client.h"

namespace fedvs::transport::testing {
namespace {

using ::testing::HasSubstr;

v1::Frame chunk_of(int from, int to, std::uint64_t total, const std::string& payload) {
  v1::Frame frame;
  frame.set_kind(v1::Frame::CHUNK);
  frame.set_parcel(1);
  frame.set_from(from);
  frame.set_to(to);
  frame.set_total(total);
  frame.set_payload(payload);
  return frame;
}

// What is logged while `action` runs.
template <class Action>
std::string log_of(const Action& action) {
  ::testing::internal::CaptureStderr();
  action();
  return ::testing::internal::GetCapturedStderr();
}

// Its first attempt fails for `reason`, which is no refusal by the hub, and the hub never hears of
// it.
std::string log_of_handshake(Network& network, const Tls& tls, const std::string& reason) {
  return log_of([&] {
    Link& link = network.add_link(0, tls);
    const Event failed = network.at(link).get(Event::kDisconnected);
    EXPECT_FALSE(failed.refused) << failed.text;
    EXPECT_THAT(failed.text, HasSubstr(reason));
    EXPECT_EQ(network.at(link).count(Event::kConnected), 0u);
    EXPECT_TRUE(network.at_hub().all().empty());
  });
}

TEST(Refusal, ClientWithoutCertificate) {
  Network network;
  const std::string log = log_of([&] {
    RawClient client(network.address(), {network.link_options(0).tls.ca_pem, "", ""});
    EXPECT_EQ(client.finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  });
  EXPECT_THAT(log, HasSubstr("peer did not return a certificate"));
  EXPECT_TRUE(network.at_hub().all().empty());
}

TEST(Refusal, ClientOfAnotherAuthority) {
  Network network;
  Tls tls = Authority("another authority").issue("client 0");
  tls.ca_pem = network.link_options(0).tls.ca_pem;
  EXPECT_THAT(log_of_handshake(network, tls, "not accept this client's certificate"),
              HasSubstr("certificate verify failed"));
}

TEST(Refusal, ClientWhoseCertificateHasEnded) {
  Network network;
  const Tls tls = network.authority().issue("client 0", Validity::kEnded);
  EXPECT_THAT(log_of_handshake(network, tls, "not accept this client's certificate"),
              HasSubstr("certificate verify failed"));
}

TEST(Refusal, ServerOfAnotherAuthority) {
  Network network;
  Tls tls = network.authority().issue("client 0");
  tls.ca_pem = Authority("another authority").issue("x").ca_pem;
  EXPECT_THAT(log_of_handshake(network, tls, "certificate verify failed"),
              HasSubstr("certificate verify failed"));
}

TEST(Refusal, ServerWhoseCertificateCarriesAnotherName) {
  Network network;
  LinkOptions options = network.link_options(0);
  options.server_name = "elsewhere.example";
  Diary diary;
  options.events = {[](std::uint64_t) { ADD_FAILURE(); }, [](int, const Bytes&) {},
                    [&](const std::string& reason, bool refused) {
                      diary.add({Event::kDisconnected, kServer, 0, reason, refused});
                    }};
  const auto link = Link::open(std::move(options)).value();
  EXPECT_FALSE(diary.get(Event::kDisconnected).text.empty());
}

TEST(Refusal, ClientThatIsNotInTheRosterIsToldWhy) {
  Network network;
  const std::string log = log_of([&] {
    Link& link = network.add_link(0, network.authority().issue("a stranger"));
    const Event refused = network.at(link).get(Event::kDisconnected);
    EXPECT_TRUE(refused.refused);
    EXPECT_EQ(refused.text, "'a stranger' is not in the roster");
  });
  EXPECT_THAT(log, HasSubstr("'a stranger' is not in the roster"));
  EXPECT_TRUE(network.at_hub().all().empty());
}

TEST(Refusal, UnreachableServerIsNotARefusal) {
  Network network;
  network.stop_hub();
  Link& link = network.add_link(0);
  const Event failed = network.at(link).get(Event::kDisconnected);
  EXPECT_FALSE(failed.refused);
  EXPECT_THAT(failed.text, HasSubstr("onnect"));  // "Connection refused", by the system
}

TEST(Refusal, ParcelInAnothersNameClosesTheConnection) {
  Network network;
  network.add_connected(1);
  RawClient client(network.address(), network.link_options(0).tls);
  network.at_hub().get(Event::kConnected, 0, 0);
  network.hub().admit(0, network.hub().stats().at(0).session);
  client.write(chunk_of(/*from=*/5, /*to=*/1, 3, "abc"));
  EXPECT_EQ(client.goodbye(), "client 0 sent a parcel as from 5");
  client.finish();
  EXPECT_EQ(network.at_hub().get(Event::kDisconnected).text, "client 0 sent a parcel as from 5");
}

TEST(Refusal, ParcelToOthersBeforeAdmissionClosesTheConnection) {
  Network network;
  Link& b = network.add_connected(1);
  Link& a = network.add_link(0);
  network.at(a).get(Event::kConnected);
  ASSERT_TRUE(a.send(1, Lane::kShare, share("too early")));
  EXPECT_THAT(network.at(a).get(Event::kDisconnected).text, HasSubstr("before it was admitted"));
  EXPECT_EQ(network.at(b).count(Event::kParcel), 0u);
}

TEST(Refusal, ParcelToOneWhoIsNotAdmittedIsDropped) {
  Network network;
  Link& a = network.add_connected(0);
  Link& b = network.add_link(1);
  network.at(b).get(Event::kConnected);
  const auto b_session = network.at_hub().get(Event::kConnected, 0, 1).session;
  ASSERT_TRUE(a.send(1, Lane::kShare, share("too early")));
  ASSERT_TRUE(a.send(kServer, Lane::kShare, share("done")));
  network.at_hub().get(Event::kParcel);
  EXPECT_EQ(network.hub().stats().at(0).dropped_parcels, 1u);
  network.hub().admit(1, b_session);
  ASSERT_TRUE(a.send(1, Lane::kShare, share("in time")));
  EXPECT_EQ(network.at(b).get(Event::kParcel).text, "in time");
}

TEST(Refusal, WhatIsMeantForAnEarlierConnectionIsNotSaidToTheNext) {
  Network network;
  Link& link = network.add_connected(0);
  const auto session = network.hub().stats().at(0).session;
  EXPECT_FALSE(network.hub().send(0, Lane::kControl, share("to another"), session + 1));
  network.hub().close(0, "go away", /*refused=*/true, session + 1);
  EXPECT_TRUE(network.hub().send(0, Lane::kControl, share("to this one"), session));
  EXPECT_EQ(network.at(link).get(Event::kParcel).text, "to this one");
  network.hub().close(0, "the end", /*refused=*/true, session);
  EXPECT_EQ(network.at(link).get(Event::kDisconnected).text, "the end");
}

TEST(Refusal, OversizedParcelIsRefusedAtItsFirstChunk) {
  Limits small;
  small.largest_parcel = 1'000'000;
  Network network(small);
  Link& link = network.add_connected(0);
  ASSERT_TRUE(link.send(kServer, Lane::kBulk, share(std::string(1'000'001, 'x'))));
  const std::string reason = "parcel 1 on lane 3: 1000001 bytes, at most 1000000 are accepted";
  EXPECT_EQ(network.at_hub().get(Event::kDisconnected).text, reason);
  EXPECT_EQ(network.at(link).get(Event::kDisconnected).text, reason);
  EXPECT_LE(network.hub().stats().at(0).bytes_in, kChunkBytes);
}

TEST(Refusal, LargestParcelCanBeRaisedLater) {
  Limits small;
  small.largest_parcel = 10;
  Network network(small);
  Link& link = network.add_connected(0);
  network.hub().set_largest_parcel(1000);
  ASSERT_TRUE(link.send(kServer, Lane::kBulk, share(std::string(1000, 'x'))));
  EXPECT_EQ(network.at_hub().get(Event::kParcel).text.size(), 1000u);
}

TEST(Refusal, LinkRefusesWhatAHubMayNotSend) {
  Limits small;
  small.largest_parcel = 10;
  Network network;
  Link& link = network.add_link(0, {}, small);
  network.at(link).get(Event::kConnected);
  network.hub().send(0, Lane::kControl, share("eleven byte"));
  EXPECT_THAT(network.at(link).get(Event::kDisconnected).text, HasSubstr("11 bytes, at most 10"));
  EXPECT_THAT(network.at_hub().get(Event::kDisconnected).text, HasSubstr("11 bytes, at most 10"));
}

TEST(Refusal, BadOffsetsCloseTheConnectionWithTheReason) {
  Network network;
  RawClient client(network.address(), network.link_options(0).tls);
  v1::Frame chunk = chunk_of(0, kServer, 100, "abc");
  client.write(chunk);
  chunk.set_offset(4);
  client.write(chunk);
  EXPECT_EQ(client.goodbye(), "parcel 1 on lane 0: offset 4 after 3 bytes");
  client.finish();
  EXPECT_EQ(network.at_hub().get(Event::kDisconnected).text,
            "parcel 1 on lane 0: offset 4 after 3 bytes");
  EXPECT_EQ(network.at_hub().count(Event::kParcel), 0u);
}

TEST(Refusal, FramesOfAnUnknownKindCloseTheConnection) {
  Network network;
  RawClient client(network.address(), network.link_options(0).tls);
  v1::Frame frame;
  frame.set_kind(static_cast<v1::Frame::Kind>(17));
  client.write(frame);
  EXPECT_THAT(client.goodbye(), HasSubstr("not known here"));
}

TEST(Refusal, AReasonThatAPeerMakesUpIsPrintable) {
  EXPECT_EQ(printable("line\nline\x1b[2J"), "line line [2J");
  EXPECT_EQ(printable(std::string(5000, 'x')).size(), 1000u);
}

TEST(Refusal, CertificatesThatCannotBeUsedAreNamed) {
  Network network;
  const auto reason = [&](Tls tls) {
    LinkOptions options = network.link_options(0, tls);
    options.events = {[](std::uint64_t) {}, [](int, const Bytes&) {},
                      [](const std::string&, bool) {}};
    return Link::open(std::move(options)).error().message;
  };
  const Tls good = network.authority().issue("client 0");
  Tls tls = good;
  tls.ca_pem = "nonsense";
  EXPECT_THAT(reason(tls), HasSubstr("the CA's certificate is not"));
  tls = good;
  tls.certificate_pem.clear();
  EXPECT_THAT(reason(tls), HasSubstr("this party's certificate is not"));
  tls = good;
  tls.key_pem = "nonsense";
  EXPECT_THAT(reason(tls), HasSubstr("not a private key"));
  tls = good;
  tls.key_pem = network.authority().issue("client 1").key_pem;
  EXPECT_THAT(reason(tls), HasSubstr("do not belong together"));
}

TEST(Refusal, APortInUseIsAnError) {
  Network network;
  HubOptions options;
  options.address = network.address();
  options.tls = network.authority().issue("server");
  options.identify = [](const std::string&) { return 0; };
  options.events = {[](int, std::uint64_t) {}, [](int, std::uint64_t, const Bytes&) {},
                    [](int, std::uint64_t, const std::string&) {}};
  const auto second = Hub::listen(std::move(options));
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("the port is in use"));
}

}  // namespace
}  // namespace fedvs::transport::testing
