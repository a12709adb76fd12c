// Strangers at the door, and parties that do what they should not, in the middle of a run: each is
// refused with a reason in the log, and the run ends as it would have without them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fedvs/identity/authority.h"
#include "fedvs/identity/server_folder.h"
#include "fedvs/wire/codec.h"
#include "tests/party/knocks.h"
#include "tests/party/middle.h"
#include "tests/party/rehearsal.h"
#include "tests/transport/raw_client.h"

namespace fedvs::party::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using transport::testing::RawClient;

constexpr int kLast = Rehearsal::kClients - 1;  // whoever misbehaves

// A run that nobody disturbs, once per process.
const Rehearsal::Ending& undisturbed() {
  static const Rehearsal::Ending ending = [] {
    Rehearsal run;
    run.start();
    auto over = run.wait();
    EXPECT_TRUE(over.server) << over.server.error().message;
    return over;
  }();
  return ending;
}

class Strangers : public ::testing::Test {
 protected:
  void begin(const std::map<int, std::string>& via = {}) {
    undisturbed();
    run_.diary().set_linger(true);
    run_.start(via);
    ASSERT_TRUE(run_.diary().wait_for_round(9)) << run_.log().text();
  }

  // The run has gone on since.
  void expect_progress() {
    EXPECT_TRUE(run_.diary().wait_for_round(run_.diary().rounds() + 2)) << run_.log().text();
  }

  // All finish, after as many rounds and with as good a model as if nothing had been.
  void expect_unharmed_end() {
    const auto over = run_.wait();
    ASSERT_TRUE(over.server) << over.server.error().message << run_.log().text();
    for (const auto& client : over.clients) {
      EXPECT_TRUE(client) << client.error().message << run_.log().text();
    }
    // A client that leaves while its part of a plan is awaited costs the epoch that batch.
    const auto abandoned = notes_with("plan revised with older models and other rows");
    EXPECT_EQ(over.rounds + abandoned.size(), undisturbed().rounds)
        << ::testing::PrintToString(run_.diary().notes());
    EXPECT_NEAR(over.accuracy, undisturbed().accuracy, 0.1);
  }

  std::vector<std::string> notes_with(const std::string& part) {
    auto notes = run_.diary().notes();
    std::erase_if(notes, [&](const std::string& note) { return note.find(part) == note.npos; });
    return notes;
  }

  Rehearsal run_;
};

// ---- at the door

identity::Validity today() { return identity::Validity::days_from(std::time(nullptr), 1); }
identity::Validity yesterday() {
  const std::time_t now = std::time(nullptr);
  return {now - 3 * 86400, now - 86400};
}

transport::Tls certified_by(const identity::Authority& authority, const std::string& name,
                            identity::Validity validity, const std::string& server_authority) {
  const auto key = identity::PrivateKey::generate();
  const auto request = identity::SigningRequest::make(key, name);
  return {.ca_pem = server_authority,
          .certificate_pem = authority.certify_client(request, name, validity).pem(),
          .key_pem = std::string(key.pem().view())};
}

// What the server tells somebody who attends with this certificate.
grpc::Status attend(const std::string& address, const transport::Tls& tls) {
  RawClient client(address, tls);
  return client.finish();
}

TEST_F(Strangers, AtTheDoorAreRefusedAndTheRunGoesOn) {
  begin();
  const auto authority = identity::load_authority(run_.trial().server).value();
  const std::string ca = authority.certificate.pem();
  const auto foreign = identity::Authority::make("fedvs", today());

  EXPECT_EQ(
      attend(run_.address(), {.ca_pem = ca, .certificate_pem = "", .key_pem = ""}).error_code(),
      grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(run_.log().wait_for("peer did not return a certificate"));

  const auto of_another = certified_by(foreign, Rehearsal::name(0), today(), ca);
  EXPECT_EQ(attend(run_.address(), of_another).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(run_.log().wait_for("certificate verify failed", 1));

  const auto expired = certified_by(authority, Rehearsal::name(0), yesterday(), ca);
  EXPECT_EQ(attend(run_.address(), expired).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(run_.log().wait_for("certificate verify failed", 2));

  // The right authority, even the right name, but not the certificate that all have agreed on.
  const auto unknown = certified_by(authority, Rehearsal::name(0), today(), ca);
  const auto told = attend(run_.address(), unknown);
  EXPECT_EQ(told.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(told.error_message(), HasSubstr("is not in the roster"));
  EXPECT_TRUE(run_.log().wait_for("refused a connection"));
  expect_progress();
  EXPECT_THAT(notes_with("refused"), IsEmpty());
  EXPECT_THAT(notes_with("disconnected"), IsEmpty());
  expect_unharmed_end();
}

TEST_F(Strangers, AThousandKnocksHoldNobodyUp) {
  begin();
  const auto before = run_.log().count("peer did not return a certificate");
  const Loiterers silent(run_.port(), 200, "");
  const Loiterers lost(run_.port(), 100, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(knock_without_certificate(run_.port(), 1000), 0u);
  EXPECT_TRUE(run_.log().wait_for("peer did not return a certificate", before + 1000));
  expect_progress();
  EXPECT_THAT(notes_with("refused"), IsEmpty());
  EXPECT_THAT(notes_with("disconnected"), IsEmpty());
  expect_unharmed_end();
}

// ---- a client with a right certificate, behind the man in the middle

class Insiders : public Strangers {
 protected:
  void begin_with_middle() {
    run_.start_server();
    middle_ =
        std::make_unique<Middle>(kLast, run_.address(), run_.server_tls(), run_.client_tls(kLast));
    begin({{kLast, middle_->address()}});
  }

  std::size_t returns() { return notes_with("client 6 is back").size(); }

  // Does it, finds the reason in the server's notes, and waits until the client is back.
  void expect_refusal(const std::string& reason, const std::function<void()>& act) {
    SCOPED_TRACE(reason);
    const auto before = returns();
    const auto known = notes_with(reason).size();
    act();
    EXPECT_TRUE(run_.diary().wait_for_note(reason, known + 1)) << run_.log().text();
    EXPECT_TRUE(run_.diary().wait_for_note("client 6 is back", before + 1)) << run_.log().text();
    ++refusals_;
  }

  void expect_refusal_of(const std::string& reason, const std::string& bytes) {
    expect_refusal(reason, [&] {
      EXPECT_TRUE(middle_->send_up(middle_->parcel_to(protocol::kServer, bytes)));
    });
  }
  void expect_refusal_of(const std::string& reason, const wire::Envelope& envelope) {
    expect_refusal_of(reason, wire::encode(envelope));
  }
  void expect_refusal_of(const std::string& reason, const protocol::Message& message) {
    expect_refusal_of(reason, wire::Envelope(wire::OpenMessage{wire::encode(message)}));
  }

  // The client comes again and introduces itself in other words, once.
  void expect_refusal_of_introduction(
      const std::string& reason,
      const std::function<Frames(const v1::Frame&, wire::Introduction)>& say) {
    expect_refusal(reason, [&] {
      auto done = std::make_shared<bool>(false);
      middle_->change_up([say, done](const v1::Frame& frame) -> Frames {
        const auto envelope = envelope_in(frame);
        const auto* said = envelope ? std::get_if<wire::Introduction>(&*envelope) : nullptr;
        if (said == nullptr || std::exchange(*done, true)) return {frame};
        return say(frame, *said);
      });
      middle_->cut();
    });
    middle_->change_up({});
  }

  static protocol::Holdings no_holdings() {
    protocol::Holdings holdings;
    holdings.newest.resize(Rehearsal::kClients);
    for (auto& pool : holdings.masks) pool.resize(Rehearsal::kClients);
    return holdings;
  }
  static protocol::Welcome false_welcome() {
    return {.server = {},
            .clients = std::vector<protocol::Incarnation>(Rehearsal::kClients),
            .round = 0,
            .uploaded_below = std::vector<std::uint64_t>(Rehearsal::kClients)};
  }

  // As the server: nobody else was refused, and nobody else has left.
  void expect_nobody_else_refused() {
    EXPECT_EQ(notes_with(" refused: ").size() + broken_, refusals_);
    for (const auto& note : notes_with("refused: ")) EXPECT_THAT(note, HasSubstr("client-6"));
    for (const auto& note : notes_with("disconnected")) EXPECT_THAT(note, HasSubstr("client-6"));
  }

  std::unique_ptr<Middle> middle_;
  std::size_t refusals_ = 0;
  std::size_t broken_ = 0;  // of them, by the transport, which says "disconnected"
};

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
  expect_refusal_of_introduction("it speaks version 2 of the protocol",
                                 saying([](wire::Introduction& said) { ++said.protocol_version; }));
  expect_refusal_of_introduction("it speaks version 0 of the protocol",
                                 saying([](wire::Introduction& said) { --said.protocol_version; }));
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
  ASSERT_EQ(next_version.substr(0, 2), "\x08\x01");
  next_version[1] = 2;
  expect_refusal_of("it speaks version 2 of the protocol", next_version);
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

TEST_F(Insiders, RepeatedMessagesToTheServerChangeNothing) {
  begin_with_middle();
  constexpr char kHello = 1 << 3 | 2;  // the first byte of every hello: its field in Message
  v1::Frame hello;
  middle_->change_up([&hello](const v1::Frame& frame) -> Frames {
    const auto envelope = envelope_in(frame);
    const auto* open = envelope ? std::get_if<wire::OpenMessage>(&*envelope) : nullptr;
    if (open == nullptr) return {frame};
    if (open->bytes[0] == kHello) hello = frame;
    return {frame, frame};  // everything twice: uploads, reports, hellos
  });
  middle_->cut();
  EXPECT_TRUE(run_.diary().wait_for_note("client 6 is back")) << run_.log().text();
  EXPECT_TRUE(run_.diary().wait_for_note("client 6 said hello twice")) << run_.log().text();
  EXPECT_TRUE(run_.diary().wait_for_note("client 6 has uploaded twice")) << run_.log().text();
  expect_progress();
  middle_->change_up({});
  ASSERT_FALSE(hello.payload().empty());
  EXPECT_TRUE(middle_->send_up(hello));  // many rounds late
  EXPECT_TRUE(run_.diary().wait_for_note("client 6 said hello twice", 2)) << run_.log().text();
  expect_progress();
  EXPECT_EQ(returns(), 1u);
  expect_nobody_else_refused();
  expect_unharmed_end();
}

// ---- what clients seal for each other

class SealedAbuse : public Insiders {
 protected:
  using Abuse = std::function<Frames(const v1::Frame&, const wire::Sealed&)>;

  // Done to sealed messages in one direction until `reason` is in a client's log.
  void expect_in_log(void (Middle::*direction)(Change), const std::string& reason, Abuse abuse) {
    SCOPED_TRACE(reason);
    const auto known = run_.log().count(reason);
    (middle_.get()->*direction)([abuse](const v1::Frame& frame) -> Frames {
      const auto envelope = envelope_in(frame);
      const auto* sealed = envelope ? std::get_if<wire::Sealed>(&*envelope) : nullptr;
      return sealed == nullptr ? Frames{frame} : abuse(frame, *sealed);
    });
    EXPECT_TRUE(run_.log().wait_for(reason, known + 1)) << run_.log().text();
    (middle_.get()->*direction)({});
    come_back();
  }

  // What was lost is sent again to a new life.
  void come_back() {
    const auto before = returns();
    middle_->cut();
    EXPECT_TRUE(run_.diary().wait_for_note("client 6 is back", before + 1)) << run_.log().text();
  }

  static wire::Sealed edited(wire::Sealed sealed, const std::function<void(wire::Sealed&)>& edit) {
    edit(sealed);
    return sealed;
  }
};

TEST_F(SealedAbuse, TamperedAndMisdirectedSharesDoNotOpen) {
  begin_with_middle();
  const std::string closed = "does not open";
  const auto down = &Middle::change_down;
  const auto change = [](auto edit) {
    return [edit](const v1::Frame& frame, const wire::Sealed& sealed) -> Frames {
      return {with(frame, edited(sealed, edit))};
    };
  };
  expect_in_log(down, closed, change([](wire::Sealed& s) { s.sealed.back() ^= 1; }));
  expect_in_log(down, closed, change([](wire::Sealed& s) { s.sealed.front() ^= 1; }));
  expect_in_log(down, closed, change([](wire::Sealed& s) { s.sealed.pop_back(); }));
  expect_in_log(down, closed, change([](wire::Sealed& s) { ++s.id; }));
  expect_in_log(down, closed, change([](wire::Sealed& s) { s.kind = s.kind % 7 + 1; }));
  expect_in_log(down, "is cut off", change([](wire::Sealed& s) { s.sealed.resize(30); }));
  expect_in_log(down, "not from whom it says",
                change([](wire::Sealed& s) { s.from = (s.from + 1) % kLast; }));
  expect_in_log(down, "not for this client", change([](wire::Sealed& s) { s.to = s.from ^ 1; }));
  // In another's name all through.
  expect_in_log(down, closed, [](const v1::Frame& frame, const wire::Sealed& sealed) -> Frames {
    v1::Frame other = frame;
    other.set_from((sealed.from + 1) % kLast);
    return {with(other, edited(sealed, [&](wire::Sealed& s) { s.from = other.from(); }))};
  });
  // To another recipient than it was sealed for.
  expect_in_log(&Middle::change_up, closed,
                [](const v1::Frame& frame, const wire::Sealed& sealed) -> Frames {
                  v1::Frame other = frame;
                  other.set_to((sealed.to + 1) % kLast);
                  return {with(other, edited(sealed, [&](wire::Sealed& s) { s.to = other.to(); }))};
                });
  expect_progress();
  expect_nobody_else_refused();
  expect_unharmed_end();
}

TEST_F(SealedAbuse, RepeatedAndReorderedSharesAreRefused) {
  begin_with_middle();
  const auto twice = [](const v1::Frame& frame, const wire::Sealed&) -> Frames {
    return {frame, frame};
  };
  expect_in_log(&Middle::change_down, "again or too late", twice);
  expect_in_log(&Middle::change_up, "again or too late", twice);
  // Each waits until the next of its sender and kind has passed.
  auto held = std::make_shared<std::map<std::pair<int, std::uint32_t>, v1::Frame>>();
  expect_in_log(&Middle::change_down, "again or too late",
                [held](const v1::Frame& frame, const wire::Sealed& sealed) -> Frames {
                  auto& waiting = (*held)[{sealed.from, sealed.kind}];
                  if (waiting.payload().empty()) return waiting = frame, Frames{};
                  return {frame, std::exchange(waiting, {})};
                });
  expect_progress();
  expect_nobody_else_refused();
  expect_unharmed_end();
}

TEST_F(SealedAbuse, AClientCannotSpeakToAnotherAsTheServerOrInTheOpen) {
  begin_with_middle();
  const auto send_to_first = [&](const wire::Envelope& envelope) {
    EXPECT_TRUE(middle_->send_up(middle_->parcel_to(0, wire::encode(envelope))));
  };
  const auto expect_dropped = [&](const std::string& reason, const wire::Envelope& envelope) {
    SCOPED_TRACE(reason);
    const auto known = run_.log().count(reason);
    send_to_first(envelope);
    EXPECT_TRUE(run_.log().wait_for(reason, known + 1)) << run_.log().text();
  };
  const std::string false_sender = "not from whom it says";
  const auto open = [](const protocol::Message& message) {
    return wire::Envelope(wire::OpenMessage{wire::encode(message)});
  };
  expect_dropped(false_sender, open(protocol::Farewell{protocol::Ending::kFinished, "go home"}));
  expect_dropped(false_sender, open(protocol::Regather{}));
  expect_dropped(false_sender, open(false_welcome()));
  expect_dropped(false_sender, wire::Envelope(wire::Introduction{.job_digest = {},
                                                                 .roster_digest = {},
                                                                 .name = "client-6",
                                                                 .features = 4,
                                                                 .rows = 900,
                                                                 .data_id = {}}));
  EXPECT_TRUE(middle_->send_up(middle_->parcel_to(0, "\xff\xff not an envelope")));
  EXPECT_TRUE(run_.log().wait_for("dropped a parcel: a malformed envelope")) << run_.log().text();
  expect_progress();
  EXPECT_EQ(returns(), 0u);
  expect_unharmed_end();
}

}  // namespace
}  // namespace fedvs::party::testing
