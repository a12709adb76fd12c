// What clients seal for each other, in the hands of a server or a client that changes, repeats,
// delays or misdirects it: none of it opens, and the run goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/party/insiders.h"

namespace fedvs::party::testing {
namespace {

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
    EXPECT_TRUE(run_.diary().wait_for_note("client-6 is back", before + 1)) << run_.log().text();
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

// One line of the log for every parcel, when each was written down.
TEST_F(SealedAbuse, ManyParcelsThatCannotBeReadAreAFewLinesInTheLog) {
  begin_with_middle();
  const auto nonsense = middle_->parcel_to(0, "\xff\xff not an envelope");
  for (int i = 0; i < 512; ++i) EXPECT_TRUE(middle_->send_up(nonsense));
  EXPECT_TRUE(run_.log().wait_for("(512 like this)")) << run_.log().text();
  EXPECT_EQ(run_.log().count("dropped a parcel: "), 8u + 6u);
  expect_progress();
  EXPECT_EQ(returns(), 0u);
  expect_unharmed_end();
}

}  // namespace
}  // namespace fedvs::party::testing
