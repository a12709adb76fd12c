// Connections that break, stall, or are made twice; and ends within their bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include "fedvs/net/transport/frame.h"
#include "tests/net/transport/network.h"
#include "tests/net/transport/raw_client.h"

namespace fedvs::transport::testing {
namespace {

using ::testing::HasSubstr;
constexpr std::size_t kMiB = std::size_t{1} << 20;

Limits impatient() {
  Limits limits;
  limits.heartbeat = Duration(100);
  limits.silent_after = Duration(1'500);
  limits.goodbye_within = Duration(300);
  limits.last_retry = Duration(500);
  return limits;
}

TEST(Resilience, LinkComesBackWhenTheServerDoesAndCountsANewSession) {
  Network network(impatient());
  Link& link = network.add_connected(0);
  network.stop_hub();
  EXPECT_EQ(network.at(link).get(Event::kDisconnected, 0).text, "the server is shutting down");
  EXPECT_FALSE(link.send(kServer, Lane::kControl, share("nobody hears this")));
  network.at(link).get(Event::kDisconnected, 1);  // an attempt that failed
  network.start_hub(network.port());
  EXPECT_EQ(network.at(link).get(Event::kConnected, 1).session, 2u);
  EXPECT_FALSE(link.send(kServer, Lane::kControl, share("what was meant for the first"), 1));
  ASSERT_TRUE(link.send(kServer, Lane::kControl, share("back again"), 2));
  EXPECT_EQ(network.at_hub().get(Event::kParcel).text, "back again");
}

TEST(Resilience, SecondConnectionOfAClientReplacesTheFirst) {
  Network network;
  Link& first = network.add_connected(0);
  Link& second = network.add_connected(0);
  const Event replaced = network.at(first).get(Event::kDisconnected);
  EXPECT_THAT(replaced.text, HasSubstr("replaced"));
  EXPECT_TRUE(replaced.refused);
  const Event gone = network.at_hub().get(Event::kDisconnected);
  EXPECT_EQ(gone.session, 1u);
  ASSERT_TRUE(second.send(kServer, Lane::kControl, share("it is me")));
  EXPECT_EQ(network.at_hub().get(Event::kParcel).session, 2u);
  EXPECT_TRUE(network.hub().send(0, Lane::kControl, share("hello")));
  EXPECT_EQ(network.at(second).get(Event::kParcel).text, "hello");
}

TEST(Resilience, ClosedClientIsToldTheReasonAndWhetherToComeBack) {
  Network network;
  Link& link = network.add_connected(0);
  network.hub().close(0, "another job", /*refused=*/true);
  const Event closed = network.at(link).get(Event::kDisconnected);
  EXPECT_EQ(closed.text, "another job");
  EXPECT_TRUE(closed.refused);
  EXPECT_EQ(network.at_hub().get(Event::kDisconnected).text, "another job");
}

// Keeps its side alive with heartbeats, but never reads.
class Deaf {
 public:
  Deaf(const Network& network, const Tls& tls) : client_(network.address(), tls) {
    thread_ = std::thread([this] {
      v1::Frame heartbeat;
      heartbeat.set_kind(v1::Frame::HEARTBEAT);
      while (!done_ && client_.write(heartbeat)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));  // a pace, not a wait
      }
    });
  }
  ~Deaf() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  RawClient client_;
  std::thread thread_;
};

TEST(Resilience, ClientThatStopsReadingIsClosedAndOthersAreNotDelayed) {
  Limits limits = impatient();
  limits.silent_after = Duration(5'000);
  Network network(limits);
  Link& other = network.add_connected(1);
  const Deaf deaf(network, network.link_options(0).tls);
  network.at_hub().get(Event::kConnected, 0, 0);
  ASSERT_TRUE(network.hub().send(0, Lane::kBulk, share(std::string(60 * kMiB, 'x'))));
  ASSERT_TRUE(network.hub().send(1, Lane::kBulk, share(std::string(4 * kMiB, 'x'))));
  network.at(other).get(Event::kParcel);
  EXPECT_EQ(network.at_hub().count(Event::kDisconnected), 0u);  // the other one had it before
  EXPECT_EQ(network.at_hub().get(Event::kDisconnected, 0, 0).text, "has not read for 5 s");
  ASSERT_TRUE(network.hub().send(1, Lane::kControl, share("still here")));
  EXPECT_EQ(network.at(other).get(Event::kParcel, 1).text, "still here");
}

TEST(Resilience, OverflowingQueueClosesThatClientOnly) {
  Limits limits;
  limits.queue_bytes = 8 * kMiB;
  Network network(limits);
  Link& other = network.add_connected(1);
  const Deaf deaf(network, network.link_options(0).tls);
  network.at_hub().get(Event::kConnected, 0, 0);
  const auto bytes = share(std::string(kMiB, 'x'));
  for (int sent = 0; sent < 200 && network.hub().send(0, Lane::kBulk, bytes); ++sent) {
  }
  EXPECT_THAT(network.at_hub().get(Event::kDisconnected, 0, 0).text, HasSubstr("reads too slowly"));
  ASSERT_TRUE(network.hub().send(1, Lane::kControl, share("still here")));
  network.at(other).get(Event::kParcel);
}

TEST(Resilience, SenderThatFloodsAnotherClientLosesItsParcelsAndClosesNobody) {
  // Given a client that reads slowly, and one that sends it 200 MiB as fast as it can.
  Limits limits;
  limits.queue_bytes = 8 * kMiB;
  limits.largest_parcel = kMiB;
  Network network(limits);
  Link& flood = network.add_connected(1);
  const Deaf slow(network, network.link_options(0).tls);
  network.at_hub().get(Event::kConnected, 0, 0);
  network.hub().admit(0, network.hub().stats().at(0).session);
  const auto bytes = share(std::string(kMiB, 'x'));
  for (int sent = 0; sent < 200; ++sent) {
    ASSERT_TRUE(flood.wait_for_room(2 * kMiB, Clock::now() + kPatience));
    ASSERT_TRUE(flood.send(0, Lane::kControl, bytes));
  }
  ASSERT_TRUE(flood.send(kServer, Lane::kControl, share("all sent")));
  network.at_hub().get(Event::kParcel);
  // Then what it cannot take is dropped, and what the server has for it still finds room.
  const auto stats = network.hub().stats();
  std::printf("%llu of 200 parcels dropped\n",
              static_cast<unsigned long long>(stats.at(1).dropped_parcels));
  EXPECT_EQ(network.at_hub().count(Event::kDisconnected), 0u);
  EXPECT_GT(stats.at(1).dropped_parcels, 100u);
  EXPECT_TRUE(network.hub().send(0, Lane::kControl, share("the plan")));
}

TEST(Resilience, SilentClientIsDisconnected) {
  Network network(impatient());
  RawClient client(network.address(), network.link_options(0).tls);
  v1::Frame heartbeat;
  heartbeat.set_kind(v1::Frame::HEARTBEAT);
  client.write(heartbeat);
  EXPECT_EQ(network.at_hub().get(Event::kDisconnected).text, "silent for 1.5 s");
}

TEST(Resilience, HubSendsHeartbeatsWhenThereIsNothingElse) {
  Network network(impatient());
  RawClient client(network.address(), network.link_options(0).tls);
  v1::Frame frame;
  frame.set_kind(v1::Frame::HEARTBEAT);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(client.write(frame));
    ASSERT_TRUE(client.read(frame));
    EXPECT_EQ(frame.kind(), v1::Frame::HEARTBEAT);
  }
}

TEST(Resilience, ShutdownWhileBusyEndsWithinItsBound) {
  Network network(impatient());
  network.on_parcel = [&](int client, const Bytes& bytes) {
    network.hub().send(client, Lane::kBulk, bytes);
  };
  std::vector<Link*> links;
  for (int client = 0; client < 4; ++client) links.push_back(&network.add_connected(client));
  const Deaf deaf(network, network.link_options(9).tls);
  network.at_hub().get(Event::kConnected, 0, 9);
  network.hub().send(9, Lane::kBulk, share(std::string(60 * kMiB, 'x')));
  std::atomic<bool> done{false};
  std::vector<std::thread> busy;
  for (Link* link : links) {
    busy.emplace_back([&, link] {
      const auto bytes = share(std::string(kMiB, 'x'));
      while (!done && link->wait_for_room(kMiB, Clock::now() + kPatience)) {
        link->send(kServer, Lane::kBulk, bytes);
      }
    });
  }
  network.at_hub().get(Event::kParcel, 20);
  const auto begin = Clock::now();
  network.hub().shutdown(Duration(500));
  // 0.5 s to drain and 0.3 s to hang up; the rest is for a machine with other things to do.
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(8));
  done = true;
  for (auto& thread : busy) thread.join();
  EXPECT_EQ(network.at_hub().count(Event::kConnected),
            network.at_hub().count(Event::kDisconnected));
}

TEST(Resilience, StoppingALinkThatCannotConnectEndsAtOnce) {
  Network network;
  network.stop_hub();
  Link& link = network.add_link(0);
  network.at(link).get(Event::kDisconnected, 1);
  const auto begin = Clock::now();
  link.stop();
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace fedvs::transport::testing
