// Parcels between a hub and links over gRPC and mutual TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "fedvs/net/transport/frame.h"
#include "tests/net/transport/network.h"

namespace fedvs::transport::testing {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(Exchange, EchoesParcelsOfEverySizeUnchanged) {
  Network network;
  network.on_parcel = [&](int client, const Bytes& bytes) {
    EXPECT_TRUE(network.hub().send(client, Lane::kUpload, bytes));
  };
  Link& link = network.add_connected(0);
  std::size_t echoes = 0;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kChunkBytes - 1, kChunkBytes, kChunkBytes + 1, 5 * kMiB}) {
    const std::string bytes = random_bytes(size, size);
    ASSERT_TRUE(link.send(kServer, Lane::kUpload, share(bytes)));
    const Event echo = network.at(link).get(Event::kParcel, echoes++);
    EXPECT_EQ(echo.party, kServer);
    EXPECT_TRUE(echo.text == bytes) << size;
  }
}

TEST(Exchange, KeepsTheOrderOfALane) {
  Network network;
  Link& link = network.add_connected(0);
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(link.send(kServer, Lane::kShare, share(std::to_string(i))));
  }
  network.at_hub().get(Event::kParcel, 499);
  int next = 0;
  for (const Event& event : network.at_hub().all()) {
    if (event.kind == Event::kParcel) {
      EXPECT_EQ(event.text, std::to_string(next++));
    }
  }
}

TEST(Exchange, ControlOvertakesABulkParcelThatWasQueuedBefore) {
  Network network;
  Link& link = network.add_connected(0);
  // 64 MiB are more than sockets and gRPC hold, so most still waits when the second is queued.
  ASSERT_TRUE(link.send(kServer, Lane::kBulk, share(std::string(64 * kMiB, 'b'))));
  ASSERT_TRUE(link.send(kServer, Lane::kControl, share("urgent")));
  EXPECT_EQ(network.at_hub().get(Event::kParcel, 0).text, "urgent");
  EXPECT_EQ(network.at_hub().get(Event::kParcel, 1).text.size(), 64 * kMiB);
}

TEST(Exchange, RelaysBetweenClientsAndTheServerSeesNothing) {
  Network network;
  Link& a = network.add_connected(0);
  Link& b = network.add_connected(1);
  const std::string bytes = random_bytes(3 * kMiB);
  ASSERT_TRUE(a.send(1, Lane::kShare, share(bytes)));
  const Event received = network.at(b).get(Event::kParcel);
  EXPECT_EQ(received.party, 0);
  EXPECT_TRUE(received.text == bytes);
  EXPECT_EQ(network.at_hub().count(Event::kParcel), 0u);
  const auto stats = network.hub().stats();
  EXPECT_EQ(stats.at(1).relayed_parcels, 1u);
  EXPECT_EQ(stats.at(1).relayed_bytes, bytes.size());
  EXPECT_EQ(stats.at(0).relayed_parcels, 0u);
  EXPECT_EQ(stats.at(0).bytes_in, bytes.size());
  EXPECT_EQ(stats.at(0).parcels_in, 1u);
}

TEST(Exchange, DropsAndCountsParcelsForClientsThatAreAway) {
  Network network;
  Link& a = network.add_connected(0);
  ASSERT_TRUE(a.send(7, Lane::kShare, share("nobody")));
  ASSERT_TRUE(a.send(kServer, Lane::kShare, share("after it")));
  network.at_hub().get(Event::kParcel);
  const auto stats = network.hub().stats();
  EXPECT_EQ(stats.at(0).dropped_parcels, 1u);
  EXPECT_EQ(stats.at(0).dropped_bytes, 6u);
  EXPECT_EQ(stats.count(7), 0u);
}

TEST(Exchange, SendingToAClientThatIsAwayIsRefused) {
  Network network;
  EXPECT_FALSE(network.hub().send(3, Lane::kControl, share("x")));
}

TEST(Exchange, ServesThirtyTwoClientsAtOnce) {
  Network network;
  std::vector<Link*> links;
  for (int client = 0; client < 32; ++client) links.push_back(&network.add_link(client));
  for (int client = 0; client < 32; ++client) {
    network.at(*links[std::size_t(client)]).get(Event::kConnected);
    network.hub().admit(client, network.hub().stats().at(client).session);
  }
  const auto bytes = share(random_bytes(50'000));
  for (int from = 0; from < 32; ++from) {
    for (int to = 0; to < 32; ++to) {
      if (to == from) continue;
      ASSERT_TRUE(links[std::size_t(from)]->send(to, Lane::kShare, bytes));
    }
  }
  for (int client = 0; client < 32; ++client) {
    const Diary& diary = network.at(*links[std::size_t(client)]);
    diary.get(Event::kParcel, 30);
    for (const Event& event : diary.all()) {
      if (event.kind == Event::kParcel) {
        ASSERT_TRUE(event.text == *bytes);
      }
    }
  }
}

TEST(Exchange, CountsWhatWasSentAndConnected) {
  Network network;
  Link& link = network.add_connected(4);
  network.hub().send(4, Lane::kControl, share("twelve bytes"));
  network.at(link).get(Event::kParcel);
  network.stop_link(link);
  network.at_hub().get(Event::kDisconnected);
  Link& again = network.add_connected(4);
  network.hub().send(4, Lane::kControl, share("x"));
  network.at(again).get(Event::kParcel);
  network.hub().shutdown();
  const auto stats = network.hub().stats().at(4);
  EXPECT_EQ(stats.connects, 2u);
  EXPECT_EQ(stats.bytes_out, 13u);
  EXPECT_EQ(stats.parcels_out, 2u);
  EXPECT_FALSE(stats.connected);
}

TEST(Exchange, WaitsForRoomAndRefusesWhatDoesNotFit) {
  Limits small;
  small.queue_bytes = kMiB;
  Network network(small);
  std::promise<void> let_go;
  network.on_parcel = [&, once = let_go.get_future().share()](int, const Bytes&) { once.wait(); };
  Link& link = network.add_connected(0);
  const auto bytes = share(std::string(kMiB / 2, 'x'));
  std::size_t queued = 0;  // until sockets, gRPC and the queue are full: the hub takes nothing
  while (link.wait_for_room(kMiB / 2, Clock::now() + Duration(300))) {
    ASSERT_TRUE(link.send(kServer, Lane::kBulk, bytes));
    ASSERT_LT(++queued, 1000u);
  }
  let_go.set_value();
  EXPECT_TRUE(link.wait_for_room(kMiB / 2, Clock::now() + kPatience));
  EXPECT_TRUE(link.send(kServer, Lane::kBulk, bytes));
  network.at_hub().get(Event::kParcel, queued);
}

TEST(Exchange, LinkSendsWhatIsQueuedBeforeItStops) {
  Network network;
  Link& link = network.add_connected(0);
  ASSERT_TRUE(link.send(kServer, Lane::kBulk, share(std::string(20 * kMiB, 'x'))));
  link.stop(std::chrono::duration_cast<Duration>(kPatience));
  EXPECT_EQ(network.at_hub().get(Event::kParcel).text.size(), 20 * kMiB);
  EXPECT_EQ(network.at_hub().get(Event::kDisconnected).text, "stopped");
}

TEST(Exchange, HubSendsWhatIsQueuedBeforeItShutsDown) {
  Network network;
  Link& link = network.add_connected(0);
  ASSERT_TRUE(network.hub().send(0, Lane::kBulk, share(std::string(20 * kMiB, 'x'))));
  network.hub().shutdown(std::chrono::duration_cast<Duration>(kPatience));
  EXPECT_EQ(network.at(link).get(Event::kParcel).text.size(), 20 * kMiB);
  const Event end = network.at(link).get(Event::kDisconnected);
  EXPECT_EQ(end.text, "the server is shutting down");
  EXPECT_FALSE(end.refused);
}

}  // namespace
}  // namespace fedvs::transport::testing
