// The status endpoint, over HTTP on loopback.
#include "fedvs/status/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <thread>

#include "fedvs/status/client.h"
#include "fedvs/status/text.h"
#include "tests/status/raw_connection.h"
#include "tests/status/sample_status.h"

namespace fedvs::status {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::unique_ptr<StatusServer> serve(StatusServer::Snapshot snapshot = sample_status) {
  auto server = StatusServer::listen(kDefaultStatusAddress, std::move(snapshot));
  EXPECT_TRUE(server) << (server ? "" : server.error().message);
  return std::move(*server);
}

httplib::Result get(int port, const std::string& path) {
  httplib::Client client("127.0.0.1", port);
  client.set_read_timeout(60);
  return client.Get(path);
}

deploy::Address at(int port) { return {"127.0.0.1", port}; }

TEST(StatusServer, ShowsTheStatusInThreeForms) {
  const auto server = serve();
  ASSERT_GT(server->port(), 0);
  EXPECT_EQ(server->address(), "127.0.0.1:" + std::to_string(server->port()));
  const struct {
    const char *path, *type;
    std::string body;
  } forms[] = {
      {"/", "text/plain; charset=utf-8", status_table(sample_status())},
      {"/status", "application/json", status_json(sample_status())},
      {"/metrics", "text/plain; version=0.0.4; charset=utf-8", status_metrics(sample_status())}};
  for (const auto& form : forms) {
    const auto answer = get(server->port(), form.path);
    ASSERT_TRUE(answer) << form.path;
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, form.body);
    EXPECT_EQ(answer->get_header_value("Content-Type"), form.type);
    EXPECT_EQ(answer->get_header_value("Cache-Control"), "no-store");
  }
}

TEST(StatusServer, TakesANewSnapshotForEveryRequest) {
  std::atomic<std::uint64_t> round = 0;
  const auto server = serve([&] {
    party::RunStatus status = sample_status();
    status.progress.round = ++round;
    return status;
  });
  for (std::uint64_t expected : {1u, 2u, 3u}) {
    const auto fetched = fetch_status(at(server->port()));
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_EQ(fetched->status.progress.round, expected);
    EXPECT_EQ(fetched->json, status_json(fetched->status));
  }
}

TEST(StatusServer, AnswersManyAtOnce) {
  const auto server = serve();
  std::atomic<int> good = 0;
  std::vector<std::thread> peers;
  for (int i = 0; i < 16; ++i) {
    peers.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        const auto answer = get(server->port(), "/metrics");
        if (answer && answer->status == 200) ++good;
      }
    });
  }
  for (auto& peer : peers) peer.join();
  EXPECT_EQ(good, 80);
}

TEST(StatusServer, SendsTheWholeOfALongStatus) {
  party::RunStatus status = sample_status();
  for (int i = 0; i < 10000; ++i) status.clients.push_back(sample_client(std::to_string(i)));
  const auto server = serve([&] { return status; });
  const auto fetched = fetch_status(at(server->port()));
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->json, status_json(status));
}

TEST(StatusServer, OtherPathsAndMethodsGetNothing) {
  const auto server = serve();
  for (const char* path : {"/status/x", "/../etc/passwd", "/metricsx"}) {
    const auto answer = get(server->port(), path);
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->status, 404) << path;
    EXPECT_THAT(answer->body, HasSubstr("GET /, /status or /metrics"));
  }
  const auto posted = httplib::Client("127.0.0.1", server->port()).Post("/status", "x", "text/x");
  ASSERT_TRUE(posted);
  EXPECT_EQ(posted->status, 404);
}

TEST(StatusServer, NonsenseAndLongRequestsAreEndedAndHarmNobody) {
  const auto server = serve();
  const std::string line(4000, 'x');
  std::string long_request = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 1000; ++i) long_request += "X-Long: " + line + "\r\n";
  for (const std::string& request :
       {std::string("\r\n\r\n"), std::string(100, '\0'), std::string("GET\r\n\r\n"),
        std::string("GET / HTTP/9.9\r\n\r\n"), "GET /" + std::string(20000, 'a') + " HTTP/1.1\r\n",
        std::string("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\nx"), long_request}) {
    RawConnection peer(server->port());
    peer.send(request);
    EXPECT_EQ(peer.receive_all().find(" 200 "), std::string::npos) << request.substr(0, 60);
  }
  EXPECT_TRUE(fetch_status(at(server->port())));
}

// Each byte comes in time, the whole never does: a peer that time-outs of single reads do not
// catch.
TEST(StatusServer, SlowPeersAreCutOffAndOthersServed) {
  const auto server = serve();
  std::atomic<bool> enough = false;
  std::vector<std::thread> slow;
  std::atomic<int> begun = 0;
  for (int i = 0; i < 4; ++i) {
    slow.emplace_back([&] {
      RawConnection peer(server->port());
      peer.send("GET / HTTP/1.1\r\nX-Slow: ");
      ++begun;
      while (!enough && peer.send("x")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
  }
  while (begun < 4) std::this_thread::yield();
  const auto answer = get(server->port(), "/status");
  EXPECT_TRUE(answer && answer->status == 200);
  enough = true;
  for (auto& peer : slow) peer.join();
}

TEST(StatusServer, StopsWhilePeersAreConnected) {
  auto server = serve();
  std::vector<std::unique_ptr<RawConnection>> peers;
  for (int i = 0; i < 5; ++i) {
    peers.push_back(std::make_unique<RawConnection>(server->port()));
    peers.back()->send("GET / HT");
  }
  const int port = server->port();
  server.reset();
  const auto fetched = fetch_status(at(port));
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(fetched.error().message, StartsWith("no server answers at 127.0.0.1:"));
}

TEST(StatusServer, StopsRightAfterItsStart) {
  for (int i = 0; i < 100; ++i) serve();
}

TEST(StatusServer, APortBelongsToOneServerAndIsFreeAfterwards) {
  auto first = serve();
  const std::string address = first->address();
  const auto second = StatusServer::listen(address, sample_status);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(second.error().message, HasSubstr(address + ": Address already in use"));
  EXPECT_TRUE(get(first->port(), "/"));
  first.reset();
  const auto third = StatusServer::listen(address, sample_status);
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_EQ((*third)->address(), address);
}

TEST(StatusServer, AnAddressThatIsNoneIsRefused) {
  for (const char* address : {"", "127.0.0.1", "localhost:http", "127.0.0.1:70000"}) {
    const auto server = StatusServer::listen(address, sample_status);
    ASSERT_FALSE(server) << address;
    EXPECT_EQ(server.error().code, ErrorCode::kBadJob);
  }
  const auto elsewhere = StatusServer::listen("192.0.2.7:0", sample_status);
  ASSERT_FALSE(elsewhere);
  EXPECT_THAT(elsewhere.error().message, HasSubstr("Cannot assign requested address"));
}

TEST(StatusClient, TellsAServerFromSomethingElse) {
  httplib::Server other;
  std::string body = "<html>hello</html>";
  other.Get("/status", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(body, "text/html");
  });
  const int port = other.bind_to_any_port("127.0.0.1");
  std::thread listener([&] { other.listen_after_bind(); });
  const auto expect_refused = [&](const std::string& why) {
    const auto fetched = fetch_status(at(port));
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().code, ErrorCode::kBadData);
    EXPECT_THAT(fetched.error().message,
                AllOf(StartsWith("something else than a FedVS server"), HasSubstr(why)));
  };
  expect_refused("no JSON object");
  body = "{\"status\":\"ok\"}";
  expect_refused("is missing");
  body.assign(40 << 20, ' ');
  expect_refused("too long");
  other.stop();
  listener.join();
}

}  // namespace
}  // namespace fedvs::status
