// Sessions, switchboard and dialler over memory instead of gRPC, where time can be pretended and
// ThreadSanitizer sees all.
#include "fedvs/net/transport/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "fedvs/net/transport/switchboard.h"
#include "tests/net/transport/memory_pipe.h"
#include "tests/net/transport/network.h"

namespace fedvs::transport::testing {
namespace {

using ::testing::HasSubstr;

// A session whose peer is the test.
class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SessionEvents events;
    events.greeted = [this] { greeted_ = true; };
    events.parcel = [this](const Parcel& parcel) -> Status {
      parcels_.add({Event::kParcel, parcel.from, 0, *parcel.bytes, false});
      go_on_.get_future().wait_for(kPatience);
      return {};
    };
    session_ = std::make_unique<Session>(pipe_, limits_, largest_, traffic_, events);
    thread_ = std::thread([this] {
      session_->run();
      over_.set_value();
    });
    IncomingFrame first;
    ASSERT_TRUE(out_->take(first));  // its greeting: it runs
  }
  void TearDown() override {
    pipe_.cancel();
    thread_.join();
  }
  static OutgoingFrame one_byte(std::uint64_t parcel) {
    OutgoingFrame chunk;
    chunk.kind = FrameKind::kChunk;
    chunk.head = {.lane = 0, .parcel = parcel, .from = 0, .to = kServer, .total = 1, .offset = 0};
    chunk.bytes = share("x");
    chunk.size = 1;
    return chunk;
  }
  // As if it were so much later.
  void look(Duration later) { session_->watch(Clock::now() + later); }
  std::string ending() {
    EXPECT_EQ(over_.get_future().wait_for(kPatience), std::future_status::ready);
    return session_->ending().reason;
  }
  // Until it has heard of its peer, and waits with nothing to write: pretended time would take a
  // write that is just being made for one that takes long.
  void settle() {
    in_->put({});
    session_->send({.bytes = share("x")});
    IncomingFrame frame;
    ASSERT_TRUE(out_->take(frame));
    while (!greeted_ || traffic_.parcels_out == 0) std::this_thread::yield();
  }

  Limits limits_{.heartbeat = std::chrono::hours(1)};
  std::atomic<std::size_t> largest_{std::size_t{64} << 20};
  Traffic traffic_;
  std::atomic<bool> greeted_{false};
  Diary parcels_;
  std::shared_ptr<Conduit> in_ = std::make_shared<Conduit>(), out_ = std::make_shared<Conduit>();
  MemoryPipe pipe_{in_, out_};
  std::unique_ptr<Session> session_;
  std::promise<void> over_, go_on_;  // the second lets the handler of parcels return
  std::thread thread_;
};

TEST_F(SessionTest, GivesUpAPeerThatNeverAnswers) {
  look(Duration(9'000));
  EXPECT_EQ(session_->send({.bytes = share("x")}), Sent::kQueued);
  look(Duration(11'000));
  EXPECT_EQ(ending(), "no answer within 10 s");
}

TEST_F(SessionTest, GivesUpAPeerThatFallsSilent) {
  settle();
  look(Duration(19'000));
  EXPECT_EQ(session_->ending().reason, "");
  // The reader may be between two reads when it is looked at: silence counts from its next one.
  while (session_->ending().reason.empty()) look(Duration(21'000));
  EXPECT_EQ(ending(), "silent for 20 s");
  EXPECT_EQ(session_->send({.bytes = share("x")}), Sent::kOver);
}

TEST_F(SessionTest, GivesUpAPeerThatDoesNotReadButForgivesItsOwnHandlersDelay) {
  settle();
  in_->put(one_byte(/*parcel=*/1));
  parcels_.get(Event::kParcel);  // and the handler does not return
  look(Duration(21'000));
  EXPECT_EQ(
      session_->send({.lane = Lane::kBulk, .bytes = share(std::string(10 * kChunkBytes, 'x'))}),
      Sent::kQueued);
  while (session_->ending().reason.empty()) look(Duration(21'000));
  go_on_.set_value();
  EXPECT_EQ(ending(), "has not read for 20 s");
}

TEST_F(SessionTest, CutsOffAPeerThatDoesNotHangUpAfterGoodbye) {
  settle();
  session_->close({"enough"});
  IncomingFrame frame;
  do {
    ASSERT_TRUE(out_->take(frame));
  } while (frame.kind != FrameKind::kGoodbye);
  EXPECT_EQ(frame.goodbye.reason, "enough");
  look(Duration(2'000));
  EXPECT_EQ(ending(), "enough");
}

TEST_F(SessionTest, HangsUpWhenThePeerSaysGoodbye) {
  OutgoingFrame goodbye;
  goodbye.kind = FrameKind::kGoodbye;
  goodbye.goodbye = {"tired", true};
  in_->put(goodbye);
  IncomingFrame frame;
  while (out_->take(frame)) {
  }
  in_->end(/*broken=*/false);
  EXPECT_EQ(ending(), "tired");
  EXPECT_TRUE(session_->ending().refused);
}

TEST_F(SessionTest, HeedsNothingAfterAMistake) {
  in_->put(one_byte(/*parcel=*/2));
  in_->put(one_byte(/*parcel=*/1));
  in_->end(/*broken=*/false);
  EXPECT_THAT(ending(), HasSubstr("parcel 1 must come next"));
  EXPECT_EQ(parcels_.count(Event::kParcel), 0u);
}

// Four clients send to each other and to the server while one of them comes and goes.
TEST(Switchboard, LosesNothingBetweenClientsThatStay) {
  constexpr int kClients = 4, kParcels = 200;
  Diary at_server;
  std::unique_ptr<Switchboard> board;
  const HubEvents events{[&](int client, std::uint64_t session) { board->admit(client, session); },
                         [&](int client, std::uint64_t, const Bytes& bytes) {
                           at_server.add({Event::kParcel, client, 0, *bytes, false});
                         },
                         [](int, std::uint64_t, const std::string&) {}};
  Limits limits;
  limits.first_retry = Duration(1);
  board = std::make_unique<Switchboard>(limits, events);
  std::mutex mutex;
  std::vector<std::thread> served;
  std::vector<Diary> diaries(kClients);
  std::vector<std::unique_ptr<Dialler>> clients;
  for (int n = 0; n < kClients; ++n) {
    Diary& diary = diaries[std::size_t(n)];
    const LinkEvents link_events{[&](std::uint64_t session) {
                                   diary.add({Event::kConnected, kServer, session, {}, false});
                                 },
                                 [&](int from, const Bytes& bytes) {
                                   diary.add({Event::kParcel, from, 0, *bytes, false});
                                 },
                                 [](const std::string&, bool) {}};
    clients.push_back(std::make_unique<Dialler>(n, limits, link_events, [&, n] {
      auto up = std::make_shared<Conduit>(), down = std::make_shared<Conduit>();
      std::lock_guard lock(mutex);
      served.emplace_back([&, n, up, down] {
        MemoryPipe pipe(up, down);
        board->attend(n, pipe);
      });
      return std::make_unique<MemoryPipe>(down, up);
    }));
  }
  for (auto& diary : diaries) diary.get(Event::kConnected);
  std::vector<std::thread> senders;
  for (int n = 0; n < kClients - 1; ++n) {
    senders.emplace_back([&, n] {
      for (int i = 0; i < kParcels; ++i) {
        for (int to = kServer; to < kClients; ++to) {
          if (to == n) continue;
          clients[std::size_t(n)]->send(to, Lane(i % 4), share(std::to_string(i)));
        }
        if (i % 50 == 0) board->close(kClients - 1, {"come again"});
      }
    });
  }
  for (auto& sender : senders) sender.join();
  at_server.get(Event::kParcel, (kClients - 1) * kParcels - 1);
  for (int n = 0; n < kClients - 1; ++n) {
    diaries[std::size_t(n)].get(Event::kParcel, (kClients - 2) * kParcels - 1);
  }
  board->close_all({"over"}, Duration::zero());
  clients.clear();
  for (auto& thread : served) thread.join();
}

}  // namespace
}  // namespace fedvs::transport::testing
