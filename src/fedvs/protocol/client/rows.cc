// Rows between clients that live apart: first whether they line up, then chunk by chunk, each asked
// for by its recipient.
#include <fmt/format.h>

#include "fedvs/base/log.h"
#include "fedvs/base/wipe.h"
#include "fedvs/protocol/client/client.h"

namespace fedvs::protocol {
namespace {

Task to_client(int to, MessagePtr message, std::size_t bytes) {
  return send_now(outgoing(to, Lane::kBulk, bytes, std::move(message)));
}

}  // namespace

// The first client draws the key; each tells all others the digest of its row ids under it. In
// every life before training, since somebody who has come back may not know yet.
Tasks Client::check_rows() {
  if (number_ != 0) return {};
  Key256 key;
  secrets_.stream(Purpose::kRowKey, number_, 0).fill(key);
  Tasks tasks;
  for (int to = 0; to < agreement_.shape.parties; ++to) {
    tasks.push_back(to_client(to, make_message(RowKey{number_, key}), key.size()));
  }
  wipe(std::span(key));
  return tasks;
}

Tasks Client::on(const RowKey& key) {
  if (key.from != 0 || !options_.row_digest) return {};
  if (!dealings_.may_answer_row_key()) {
    return complain(key.from, "it sends its row key again and again");
  }
  RowCheck check{.from = number_,
                 .rows = options_.row_count,
                 .digest = options_.row_digest(key.key),
                 .groups = bound_groups()};
  // Nobody shares rows with clients that the server has put into another run.
  if (plans_.heads()) check.digest = Hasher().add(check.digest).add(plans_.heads()->run()).finish();
  Tasks tasks;
  for (int to = 0; to < agreement_.shape.parties; ++to) {
    tasks.push_back(to_client(to, make_message(check), sizeof check));
  }
  return tasks;
}

// Nothing is shared before all N are equal. What each has found is told to the server, which sends
// away whom most of them find to differ; the others wait for it. No client's word ends the run.
Tasks Client::on(const RowCheck& check) {
  auto& comparison = rows_.comparison();
  if (!comparison.take(check)) return {};
  auto differ = comparison.differing();
  for (const int other : differ) {
    log::warning("{} has other row ids than most clients ({} rows here, {} there)",
                 agreement_.name(other), options_.row_count, comparison.rows_of(other));
  }
  const bool all_the_same = differ.empty();
  Tasks tasks = one(tell_verdict(std::move(differ)));
  if (!all_the_same) return tasks;
  // Sealed from the server, which could otherwise keep it from those who do not know.
  if (const auto bound = plans_.bind_as_others(comparison.groups()); !bound) {
    return one(break_off(bound.error().message));
  }
  if (!comparison.find_to_line_up()) return tasks;
  if (!training()) tasks.push_back(share_model());
  append(tasks, begin_fetching());
  for (const auto& request : comparison.take_requests()) append(tasks, on(request));
  return tasks;
}

Task Client::tell_verdict(std::vector<int> differ) const {
  const std::size_t bytes = sizeof(Incarnation) + differ.size();
  return send_now(
      outgoing(kServer, Lane::kControl, bytes,
               make_message(RowVerdict{number_, life_.incarnation(), std::move(differ)})));
}

Tasks Client::begin_fetching() {
  Tasks tasks;
  rows_.fetch_all(tasks);
  if (!training() && setup_complete()) tasks.push_back(report());
  return tasks;
}

Tasks Client::on(const DataRequest& request) {
  if (!rows_line_up()) {
    rows_.comparison().keep(request);
    return {};
  }
  if (!dealings_.may_send_chunk(request.from, rows_.chunks())) {
    return complain(request.from,
                    fmt::format("it has asked for all rows more than {} times; restart this client "
                                "if its rows were really lost so often",
                                Dealings::kTablesSent));
  }
  return one({.background = true, .rows_for = request.from, .run = [this, request] {
                const Chunk chunk(request.part, request.first_row);
                Effects effects;
                effects.sends.push_back(outgoing(request.from, Lane::kBulk,
                                                 rows_.chunk_bytes(chunk),
                                                 data_chunk(chunk, request.from)));
                return effects;
              }});
}

}  // namespace fedvs::protocol
