// What plaintext split learning takes on the virtual clock: the parties' speeds, the links, and
// what a row costs to compute and to send.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "fedvs/job/job.h"
#include "fedvs/sim/event_queue.h"
#include "fedvs/sim/links.h"

namespace fedvs::baselines {

struct RowCosts {
  std::vector<double> client_macs;  // to embed a row; to learn from it as many again
  double central_macs = 0;          // of a forward pass; learning is three of them
  std::size_t bytes = 0;            // of an embedding, and of its gradient
};

class Machines {
 public:
  // Seconds between computing and sending, by client and round (vafl: the client's step).
  using UploadDelay = std::function<double(int client, std::uint64_t round)>;

  Machines(const SimJob& job, UploadDelay upload_delay, RowCosts costs)
      : delay(std::move(upload_delay)),
        links(static_cast<int>(costs.client_macs.size()), job.bandwidth_mbps),
        costs_(std::move(costs)),
        client_rate_(1e9 * job.client_gmacs),
        server_rate_(1e9 * job.server_gmacs),
        free_at_(costs_.client_macs.size(), 0.0) {}

  static constexpr int kServer = -1;
  int clients() const { return static_cast<int>(free_at_.size()); }

  // When client n, asked now, has embedded `rows` rows, after learning from `learned` ones: one
  // task at a time, first come first served.
  double computed(int n, std::size_t rows, std::size_t learned) {
    double& free_at = free_at_[static_cast<std::size_t>(n)];
    const double macs = costs_.client_macs[static_cast<std::size_t>(n)];
    free_at =
        std::max(events.now(), free_at) + static_cast<double>(rows + learned) * macs / client_rate_;
    return free_at;
  }
  double server_seconds(std::size_t rows) const {
    return 3 * static_cast<double>(rows) * costs_.central_macs / server_rate_;
  }
  // When `rows` embeddings or gradients, sent at `ready`, arrive.
  double arrival(int from, int to, std::size_t rows, double ready) {
    const std::size_t bytes = rows * costs_.bytes;
    bytes_ += bytes;
    return links.send(from, to, bytes, ready);
  }
  double bytes_per_client() const { return static_cast<double>(bytes_) / clients(); }

  UploadDelay delay;
  sim::EventQueue events;
  sim::Links links;

 private:
  RowCosts costs_;
  double client_rate_, server_rate_;
  std::vector<double> free_at_;
  std::uint64_t bytes_ = 0;  // sent or received by some client
};

}  // namespace fedvs::baselines
