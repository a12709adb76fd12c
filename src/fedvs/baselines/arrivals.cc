#include "fedvs/baselines/arrivals.h"

#include <algorithm>

namespace fedvs::baselines {

Arrivals::Arrivals(Machines& machines, RowCount rows)
    : machines_(machines), rows_(std::move(rows)) {
  for (int n = 0; n < machines_.clients(); ++n) begin(n, 0, 0);
}

Arrivals::Arrival Arrivals::next() {
  while (finished_.empty()) machines_.events.run_next();
  const Arrival arrival = finished_.back();
  finished_.clear();
  return arrival;
}

void Arrivals::begin(int client, std::uint64_t step, std::size_t learned) {
  const std::size_t rows = rows_(client, step);
  const double ready = machines_.computed(client, rows, learned) + machines_.delay(client, step);
  machines_.events.at(ready, client, [this, client, step, rows] {
    const double arrival =
        machines_.arrival(client, Machines::kServer, rows, machines_.events.now());
    machines_.events.at(arrival, client,
                        [this, client, step, rows] { arrive(client, step, rows); });
  });
}

void Arrivals::arrive(int client, std::uint64_t step, std::size_t rows) {
  const double now = machines_.events.now();
  server_free_at_ = std::max(now, server_free_at_) + machines_.server_seconds(rows);
  const Arrival arrival{client, step, now, server_free_at_};
  machines_.events.at(server_free_at_, Machines::kServer,
                      [this, arrival, rows] { finish(arrival, rows); });
}

void Arrivals::finish(const Arrival& arrival, std::size_t rows) {
  finished_.push_back(arrival);
  const int client = arrival.client;
  const double back = machines_.arrival(Machines::kServer, client, rows, machines_.events.now());
  machines_.events.at(back, Machines::kServer,
                      [this, client, step = arrival.step, rows] { begin(client, step + 1, rows); });
}

}  // namespace fedvs::baselines
