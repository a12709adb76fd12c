// A client with a right certificate that says what it should not to the server: it is put out with
// the reason, and may come back.
#include "tests/party/insiders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace fedvs::party::testing {
namespace {

TEST_F(Insiders, FalseIntroductionsAreRefused) {
  begin_with_middle();
  const auto saying = [](auto edit) {
    return [edit](const v1::Frame& frame, wire::Introduction said) -> Frames {
      edit(said);
      return {with(frame, said)};
    };
  };
  expect_refusal_of_introduction(
      "\"client-1\" has shown the certificate of \"client-6\"",
      saying([](wire::Introduction& said) { said.name = Rehearsal::name(0); }));
  expect_refusal_of_introduction("client-6 has another job",
                                 saying([](wire::Introduction& said) { said.job_digest[7] ^= 1; }));
  expect_refusal_of_introduction(
      "client-6 has another roster",
      saying([](wire::Introduction& said) { said.roster_digest[7] ^= 1; }));
  expect_refusal_of_introduction("client-6 has other data",
                                 saying([](wire::Introduction& said) { said.data_id[7] ^= 1; }));
  expect_refusal_of_introduction("client-6 has other data",
                                 saying([](wire::Introduction& said) { ++said.features; }));
  expect_refusal_of_introduction("client-6 has 901 rows",
                                 saying([](wire::Introduction& said) { ++said.rows; }));
  expect_refusal_of_introduction("it speaks version 4 of the protocol and this party version 3",
                                 saying([](wire::Introduction& said) { ++said.protocol_version; }));
  // As a party of the version before begins.
  expect_refusal_of_introduction("it speaks version 2 of the protocol and this party version 3",
                                 [](const v1::Frame& frame, wire::Introduction said) -> Frames {
                                   std::string bytes = wire::encode(wire::Envelope(said));
                                   bytes[1] = 2;  // field 1: the version
                                   return {with_bytes(frame, bytes)};
                                 });
  expect_refusal_of_introduction("it answers what it was not asked",
                                 [](const v1::Frame& frame, wire::Introduction) -> Frames {
                                   return {with(frame, wire::RowsAnswer{true})};
                                 });
  expect_refusal_of_introduction(
      "a message before the introduction",
      [](const v1::Frame& frame, wire::Introduction) -> Frames {
        return {with(frame, wire::OpenMessage{wire::encode(
                                protocol::Report{.from = kLast, .holdings = no_holdings()})})};
      });
  expect_refusal_of_introduction("it has introduced itself twice",
                                 [](const v1::Frame& frame, wire::Introduction) -> Frames {
                                   return {frame, frame};
                                 });
  expect_progress();
  expect_nobody_else_refused();
  expect_unharmed_end();
}

TEST_F(Insiders, MessagesThatTheServerMustNotBelieveAreRefused) {
  begin_with_middle();
  const std::string another = "a message in the name of another party";
  expect_refusal_of(another, protocol::Report{.from = 0, .holdings = no_holdings()});
  expect_refusal_of(another, protocol::Refusal{.from = 0, .revision = 0, .reason = "I was forced"});
  expect_refusal_of(another, false_welcome());
  expect_refusal_of(another, protocol::Farewell{protocol::Ending::kFinished, ""});

  const std::string not_for = "a parcel that is not for the server";
  wire::Terms terms{.features = std::vector<std::uint32_t>(Rehearsal::kClients, 4),
                    .rows = {1, 1, 1},
                    .classes = 2,
                    .run_id = {},
                    .row_ids = {},
                    .total_rows = 3};
  expect_refusal_of(not_for, wire::Envelope(terms));
  expect_refusal_of(
      not_for,
      wire::Envelope(wire::Sealed{
          .from = kLast, .to = 0, .kind = 7, .id = 1, .position = 0, .sealed = "nothing in it"}));
  const std::string report =
      wire::encode(protocol::Report{.from = kLast, .holdings = no_holdings()});
  expect_refusal_of("a malformed envelope", std::string("\xff\xff\xff\xff not an envelope"));
  expect_refusal_of("a malformed envelope", std::string());
  expect_refusal_of("is cut short", wire::Envelope(wire::OpenMessage{report.substr(0, 3)}));
  const std::string whole = wire::encode(wire::Envelope(wire::OpenMessage{report}));
  expect_refusal_of("a malformed envelope", whole.substr(0, whole.size() - 5));
  std::string next_version = whole;  // field 1: the version
  ASSERT_EQ(next_version.substr(0, 2), "\x08\x03");
  next_version[1] = 4;
  expect_refusal_of("it speaks version 4 of the protocol", next_version);
  // A key of a life that it has not signed.
  expect_refusal_of("the key for client-6's life was not signed by client-6",
                    protocol::Hello{.from = kLast, .incarnation = {}, .card = {{1}, "me"}});
  expect_progress();
  expect_nobody_else_refused();
  expect_unharmed_end();
}

TEST_F(Insiders, ParcelsThatTheTransportMustNotTakeCloseTheConnection) {
  begin_with_middle();
  const auto send = [&](const v1::Frame& frame) {
    return [this, frame] { EXPECT_TRUE(middle_->send_up(frame)); };
  };
  auto in_anothers_name = middle_->parcel_to(protocol::kServer, "hello");
  in_anothers_name.set_from(0);
  expect_refusal("client 5 sent a parcel as from 0", send(in_anothers_name));

  auto oversized = middle_->parcel_to(0, std::string(1000, 'x'));
  oversized.set_total(std::uint64_t{1} << 40);
  expect_refusal("1099511627776 bytes, at most", send(oversized));

  auto much = middle_->parcel_to(protocol::kServer, std::string(600'000, 'x'));
  expect_refusal("at most", send(much));

  auto truncated = middle_->parcel_to(protocol::kServer, "half of");
  truncated.set_total(14);
  expect_refusal("is not complete", [&] {
    EXPECT_TRUE(middle_->send_up(truncated));
    EXPECT_TRUE(middle_->send_up(middle_->parcel_to(protocol::kServer, "another")));
  });

  expect_refusal("offset 9 after 7 bytes", [&] {
    EXPECT_TRUE(middle_->send_up(truncated));
    auto rest = truncated;
    rest.set_offset(9);
    EXPECT_TRUE(middle_->send_up(rest));
  });

  auto unknown = middle_->parcel_to(protocol::kServer, "x");
  unknown.set_lane(9);
  expect_refusal("there are only 4 lanes", send(unknown));
  broken_ = refusals_;
  expect_progress();
  expect_nobody_else_refused();
  expect_unharmed_end();
}

constexpr char kHello = 1 << 3 | 2;  // the first byte of every hello: its field in Message

TEST_F(Insiders, RepeatedMessagesToTheServerChangeNothing) {
  begin_with_middle();
  v1::Frame hello;
  middle_->change_up([&hello](const v1::Frame& frame) -> Frames {
    const auto envelope = envelope_in(frame);
    const auto* open = envelope ? std::get_if<wire::OpenMessage>(&*envelope) : nullptr;
    if (open == nullptr) return {frame};
    if (open->bytes[0] == kHello) hello = frame;
    return {frame, frame};  // everything twice: uploads, reports, hellos
  });
  middle_->cut();
  EXPECT_TRUE(run_.diary().wait_for_note("client-6 is back")) << run_.log().text();
  EXPECT_TRUE(run_.diary().wait_for_note("client-6 said hello twice")) << run_.log().text();
  expect_progress();
  middle_->change_up({});
  ASSERT_FALSE(hello.payload().empty());
  EXPECT_TRUE(middle_->send_up(hello));  // many rounds late
  EXPECT_TRUE(run_.diary().wait_for_note("client-6 said hello twice", 2)) << run_.log().text();
  expect_progress();
  EXPECT_EQ(returns(), 1u);
  expect_nobody_else_refused();
  expect_unharmed_end();
}

// The same bytes again and again, which cost their sender nothing. With one queue for all, without
// a bound and every signature verified, four rounds took 102 s, 5.3 million hellos waited by then,
// and two minutes later there was no fifth round.
TEST_F(Insiders, AFloodOfHellosFillsItsSendersOwnBoxAndTheOthersFinish) {
  begin_with_middle();
  v1::Frame hello;
  middle_->change_up([&hello](const v1::Frame& frame) -> Frames {
    const auto envelope = envelope_in(frame);
    const auto* open = envelope ? std::get_if<wire::OpenMessage>(&*envelope) : nullptr;
    if (open != nullptr && open->bytes[0] == kHello) hello = frame;
    return {frame};
  });
  middle_->cut();
  ASSERT_TRUE(run_.diary().wait_for_note("client-6 is back")) << run_.log().text();
  middle_->change_up({});
  ASSERT_FALSE(hello.payload().empty());

  std::atomic<bool> over{false};
  std::atomic<std::size_t> sent{0};
  std::thread flood([&] {
    while (!over && run_.server_runs()) sent += middle_->send_up(hello) ? 1 : 0;
  });
  const auto room = Reception::kRoomOfOne.events;
  for (int i = 0; (i < 5 || sent < 2 * room) && !HasFailure(); ++i) expect_progress();
  over = true;
  flood.join();
  EXPECT_GE(sent, 2 * room);
  EXPECT_LE(run_.server().most_waited(), room);
  expect_nobody_else_refused();
  expect_unharmed_end(kLast);  // whose connection may be given up: nothing else of it is read
}

// It stays connected, never says that its last model is saved, and always has something to say.
// When anybody's word made the server stay five seconds longer, it stayed for as long as this went
// on.
TEST_F(Insiders, AChattyClientDoesNotKeepTheServerFromEnding) {
  begin_with_middle();
  middle_->change_down([](const v1::Frame& frame) -> Frames {
    constexpr auto kBulk = static_cast<std::uint32_t>(transport::Lane::kBulk);
    const bool farewell = frame.from() == protocol::kServer && frame.lane() == kBulk;
    return farewell ? Frames{} : Frames{frame};
  });
  const auto report = middle_->parcel_to(
      protocol::kServer, wire::encode(wire::Envelope(wire::OpenMessage{wire::encode(
                             protocol::Report{.from = kLast, .holdings = no_holdings()})})));
  run_.diary().set_linger(false);
  const auto patience = std::chrono::steady_clock::now() + kPatience;
  while (run_.server_runs() && std::chrono::steady_clock::now() < patience) {
    middle_->send_up(report);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_FALSE(run_.server_runs()) << "it stays for as long as the client talks";
  EXPECT_FALSE(run_.stop_client(kLast));
  EXPECT_TRUE(run_.wait().server);
}

}  // namespace
}  // namespace fedvs::party::testing
