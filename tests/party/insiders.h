// A run whose last client has a right certificate and does what it should not: it is an honest one
// behind a man in the middle who adds to what it says.
#pragma once
#include "fedvs/net/wire/codec.h"
#include "tests/party/disturbed_run.h"
#include "tests/party/middle.h"

namespace fedvs::party::testing {

inline constexpr int kLast = Rehearsal::kClients - 1;  // whoever misbehaves

class Insiders : public DisturbedRun {
 protected:
  void begin_with_middle() {
    run_.start_server();
    middle_ =
        std::make_unique<Middle>(kLast, run_.address(), run_.server_tls(), run_.client_tls(kLast));
    begin({{kLast, middle_->address()}});
  }

  std::size_t returns() { return notes_with("client-6 is back").size(); }

  // Does it, finds the reason in the server's notes, and waits until the client is back.
  void expect_refusal(const std::string& reason, const std::function<void()>& act) {
    SCOPED_TRACE(reason);
    if (HasFailure()) return;  // the rest would only wait, each as long as the first
    const auto before = returns();
    const auto known = notes_with(reason).size();
    act();
    EXPECT_TRUE(run_.diary().wait_for_note(reason, known + 1)) << run_.log().text();
    EXPECT_TRUE(run_.diary().wait_for_note("client-6 is back", before + 1)) << run_.log().text();
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
    return holdings;
  }
  static protocol::Welcome false_welcome() {
    return {.server = {},
            .clients = std::vector<protocol::Incarnation>(Rehearsal::kClients),
            .sharings = std::vector<protocol::SharingId>(Rehearsal::kClients)};
  }

  // As the server: nobody else was refused, and nobody else has left.
  void expect_nobody_else_refused() {
    EXPECT_EQ(notes_with(" refused: ").size() + broken_, refusals_);
    for (const auto& note : notes_with("refused: "))
      EXPECT_THAT(note, ::testing::HasSubstr("client-6"));
    for (const auto& note : notes_with("disconnected"))
      EXPECT_THAT(note, ::testing::HasSubstr("client-6"));
  }

  std::unique_ptr<Middle> middle_;
  std::size_t refusals_ = 0;
  std::size_t broken_ = 0;  // of them, by the transport, which says "disconnected"
};

}  // namespace fedvs::party::testing
