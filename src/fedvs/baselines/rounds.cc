#include "fedvs/baselines/rounds.h"

#include <algorithm>

namespace fedvs::baselines {

Rounds::Rounds(Machines& machines, int needed)
    : machines_(machines),
      needed_(static_cast<std::size_t>(needed)),
      round_of_client_(static_cast<std::size_t>(machines.clients()), 0) {}

Rounds::Closed Rounds::run(std::size_t rows) {
  const double started = now_;
  const std::uint64_t round = ++round_;  // counted from 1
  auto learners = std::exchange(answered_, {});
  std::ranges::sort(learners);
  for (int n = 0; n < machines_.clients(); ++n) {
    const bool learns = std::ranges::binary_search(learners, n);
    const std::size_t learned = learns ? last_rows_ : 0;
    const double told = learns ? machines_.arrival(Machines::kServer, n, learned, started)
                               : machines_.links.send_free(Machines::kServer, n, started);
    machines_.events.at(told, Machines::kServer,
                        [this, n, round, rows, learned] { begin(n, round, rows, learned); });
  }
  while (answered_.size() < needed_) machines_.events.run_next();
  last_rows_ = rows;
  now_ = machines_.events.now() + machines_.server_seconds(rows);
  return {answered_, started, now_};
}

void Rounds::begin(int client, std::uint64_t round, std::size_t rows, std::size_t learned) {
  round_of_client_[static_cast<std::size_t>(client)] = round;
  const double ready =
      machines_.computed(client, rows, learned) + machines_.delay(client, round - 1);
  machines_.events.at(ready, client, [this, client, round, rows] { send(client, round, rows); });
}

void Rounds::send(int client, std::uint64_t round, std::size_t rows) {
  if (round_of_client_[static_cast<std::size_t>(client)] != round) return;  // a newer one cancels
  const double arrival = machines_.arrival(client, Machines::kServer, rows, machines_.events.now());
  machines_.events.at(arrival, client, [this, client, round] {
    if (round == round_ && answered_.size() < needed_) answered_.push_back(client);
  });
}

}  // namespace fedvs::baselines
