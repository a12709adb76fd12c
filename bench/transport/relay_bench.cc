// How long client A's parcels take through the hub to client B, beside plain gRPC streams that move
// the same bytes over one hop and over both; all with mutual TLS, in one process, in turn.
//   relay_bench [MEGABYTES [ROUNDS]]     prints one JSON line per parcel size
// "ratio" is relay by plain gRPC over both hops, medians; the goal is at most 2.
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <vector>

#include "bench/transport/raw_stream.h"
#include "fedvs/net/transport/hub.h"
#include "fedvs/net/transport/link.h"
#include "tests/net/transport/certificates.h"

namespace fedvs::bench {
namespace {

using transport::Bytes;
using transport::Clock;
using transport::Lane;

// Counts down from another thread.
class Countdown {
 public:
  void start(std::size_t count) {
    std::lock_guard lock(mutex_);
    left_ = count;
  }
  void step() {
    std::lock_guard lock(mutex_);
    if (--left_ == 0) done_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return left_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  std::size_t left_ = 0;
};

class Relay {
 public:
  Relay() {
    connected_.start(2);
    transport::HubOptions options;
    options.address = "127.0.0.1:0";
    options.tls = authority_.issue("server");
    options.identify = [](const std::string& certificate) -> Result<int> {
      return transport::testing::common_name_of(certificate) == "a" ? 0 : 1;
    };
    options.events = {[](int, std::uint64_t) {}, [](int, std::uint64_t, const Bytes&) {},
                      [](int, std::uint64_t, const std::string&) {}};
    hub_ = transport::Hub::listen(std::move(options)).value();
    a_ = link("a", 0);
    b_ = link("b", 1);
    connected_.wait();
    for (int client : {0, 1}) hub_->admit(client, hub_->stats().at(client).session);
  }
  void transfer(const Bytes& bytes, std::size_t count) {
    received_.start(count);
    for (std::size_t i = 0; i < count; ++i) {
      while (!a_->send(1, Lane::kShare, bytes)) {
        a_->wait_for_room(bytes->size(), Clock::now() + std::chrono::seconds(60));
      }
    }
    received_.wait();
  }

 private:
  std::unique_ptr<transport::Link> link(const char* name, int number) {
    transport::LinkOptions options;
    options.address = fmt::format("127.0.0.1:{}", hub_->port());
    options.self = number;
    options.tls = authority_.issue(name);
    options.limits.queue_bytes = std::size_t{8} << 20;
    options.events = {[this](std::uint64_t) { connected_.step(); },
                      [this](int, const Bytes&) { received_.step(); },
                      [](const std::string&, bool) {}};
    return transport::Link::open(std::move(options)).value();
  }

  transport::testing::Authority authority_{"authority"};
  Countdown connected_, received_;
  std::unique_ptr<transport::Hub> hub_;
  std::unique_ptr<transport::Link> a_, b_;
};

class Raw {
 public:
  void one_hop(const std::string& bytes, std::size_t count) {
    RawStream sender(server_.port(), tls_, 0);
    sender.send(bytes, count);
    sender.await_last();
  }
  void two_hops(const std::string& bytes, std::size_t count) {
    RawStream receiver(server_.port(), tls_, 1);
    std::thread sending([&] { RawStream(server_.port(), tls_, 0).send(bytes, count); });
    receiver.await_last();
    sending.join();
  }

 private:
  transport::testing::Authority authority_{"authority"};
  transport::Tls tls_ = authority_.issue("anybody");
  RawServer server_{tls_};
};

double seconds_of(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

void measure(Relay& relay, Raw& raw, std::size_t parcel, std::size_t total, int rounds) {
  const auto bytes = transport::share(std::string(parcel, 'x'));
  const std::size_t count = std::max<std::size_t>(1, total / parcel);
  std::vector<double> relayed, one_hop, two_hops;
  for (int round = 0; round <= rounds; ++round) {
    const double seconds[] = {seconds_of([&] { relay.transfer(bytes, count); }),
                              seconds_of([&] { raw.one_hop(*bytes, count); }),
                              seconds_of([&] { raw.two_hops(*bytes, count); })};
    if (round == 0) continue;  // touches memory and opens windows
    relayed.push_back(seconds[0]);
    one_hop.push_back(seconds[1]);
    two_hops.push_back(seconds[2]);
  }
  const double megabytes = static_cast<double>(parcel * count) / 1e6;
  fmt::print(
      "{{\"bench\":\"transport_relay\",\"parcel_bytes\":{},\"megabytes\":{:.0f},"
      "\"relay_mb_per_second\":{:.0f},\"raw_one_hop_mb_per_second\":{:.0f},"
      "\"raw_two_hops_mb_per_second\":{:.0f},\"ratio\":{:.3f}}}\n",
      parcel, megabytes, megabytes / median(relayed), megabytes / median(one_hop),
      megabytes / median(two_hops), median(relayed) / median(two_hops));
}

}  // namespace
}  // namespace fedvs::bench

int main(int argc, char** argv) {
  const std::size_t megabytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  fedvs::bench::Relay relay;
  fedvs::bench::Raw raw;
  // A chunk of rows, a large model, a client's model among 28 of Fashion-MNIST.
  for (const std::size_t parcel :
       {std::size_t{512} << 10, std::size_t{50'000}, std::size_t{7'500}}) {
    fedvs::bench::measure(relay, raw, parcel, megabytes * 1'000'000, rounds);
  }
}
