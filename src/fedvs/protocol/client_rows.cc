// Rows between clients that live apart: first whether they line up, then chunk by chunk, each asked
// for by its recipient.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/log.h"
#include "fedvs/base/wipe.h"
#include "fedvs/protocol/client.h"
#include "fedvs/protocol/groups.h"

namespace fedvs::protocol {
namespace {

constexpr std::size_t kAskedAtOnce = 4;  // chunks, of every sender
// All that is asked for may wait at the server for a slow link, whose queue must not overflow.
constexpr std::size_t kMostBytesAsked = std::size_t{96} << 20;

}  // namespace

Outgoing Client::to_client(int to, MessagePtr message, std::size_t bytes) const {
  return outgoing(to, Channel::kBulk, bytes, std::move(message));
}

// The first client draws the key; each tells all others the digest of its row ids under it. In
// every life before training, since somebody who has come back may not know yet.
Tasks Client::check_rows() {
  if (number_ != 0) return {};
  Key256 key;
  secrets_.stream(Purpose::kRowKey, number_, 0).fill(key);
  Tasks tasks;
  for (int to = 0; to < agreement_.shape.parties; ++to) {
    tasks.push_back(send_now(to_client(to, make_message(RowKey{number_, key}), key.size())));
  }
  wipe(std::span(key));
  return tasks;
}

Tasks Client::on(const RowKey& key) {
  if (key.from != 0 || !options_.row_digest) return {};
  if (!dealings_.may_answer_row_key()) {
    return complain(key.from, "it sends its row key again and again");
  }
  row_key_ = key.key;
  RowCheck check{.from = number_,
                 .rows = options_.row_count,
                 .digest = options_.row_digest(key.key),
                 .groups = bound_groups_};
  // Nobody shares rows with clients that the server has put into another run.
  if (heads_) check.digest = Hasher().add(check.digest).add(heads_->run()).finish();
  Tasks tasks;
  for (int to = 0; to < agreement_.shape.parties; ++to) {
    tasks.push_back(send_now(to_client(to, make_message(check), sizeof check)));
  }
  return tasks;
}

// Nothing is shared before all N are equal. What each has found is told to the server, which sends
// away whom most of them find to differ; the others wait for it. No client's word ends the run.
Tasks Client::on(const RowCheck& check) {
  row_checks_[static_cast<std::size_t>(check.from)] = check;
  const bool all = std::ranges::all_of(row_checks_, [](const auto& c) { return c.has_value(); });
  if (!all || std::exchange(rows_compared_, true)) return {};
  auto differ = differing_rows();
  for (const int other : differ) {
    log::warning("{} has other row ids than most clients ({} rows here, {} there)",
                 agreement_.name(other), options_.row_count,
                 row_checks_[static_cast<std::size_t>(other)]->rows);
  }
  const bool all_the_same = differ.empty();
  Tasks tasks = one(tell_verdict(std::move(differ)));
  if (!all_the_same) return tasks;
  if (const auto bound = bind_as_others(); !bound) return one(break_off(bound.error().message));
  if (std::exchange(rows_line_up_, true)) return tasks;
  if (!training()) tasks.push_back(share_model());
  append(tasks, begin_fetching());
  for (const auto& request : std::exchange(early_requests_, {})) append(tasks, on(request));
  return tasks;
}

// What more than T clients are bound to, so an honest one, binds all: also a client that was away
// when these groups were told, or that was told of its plans only after others had answered them.
// Sealed from the server, which could otherwise keep it from those who do not know.
Status Client::bind_as_others() {
  std::vector<Groups> said;
  for (const auto& check : row_checks_) said.push_back(check->groups);
  Groups bound = binding_groups(agreement_, said, bound_groups_);
  if (!bound_groups_.empty() && !same_partition(bound, bound_groups_)) {
    return Error{ErrorCode::kRefused,
                 "other clients are bound to other groups by an earlier run over the same rows: "
                 "the server told clients different ones, and sums of both single clients out"};
  }
  bound_groups_ = std::move(bound);
  guard_.bind(bound_groups_);
  return {};
}

// Those who are not with most of the clients; where most do not agree, those not with this one.
std::vector<int> Client::differing_rows() const {
  const auto with = [&](const RowCheck& a) {
    return std::ranges::count_if(
        row_checks_, [&](const auto& b) { return a.rows == b->rows && a.digest == b->digest; });
  };
  const RowCheck* right = &*row_checks_[static_cast<std::size_t>(number_)];
  for (const auto& check : row_checks_) {
    if (2 * with(*check) > agreement_.shape.parties) right = &*check;
  }
  std::vector<int> differ;
  for (const auto& check : row_checks_) {
    if (check->rows != right->rows || check->digest != right->digest) differ.push_back(check->from);
  }
  return differ;
}

Task Client::tell_verdict(std::vector<int> differ) const {
  const std::size_t bytes = sizeof(Incarnation) + differ.size();
  return send_now(outgoing(kServer, Channel::kControl, bytes,
                           make_message(RowVerdict{number_, incarnation_, std::move(differ)})));
}

Tasks Client::begin_fetching() {
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    auto& fetching = fetching_[static_cast<std::size_t>(n)];
    fetching = {};
    for_each_chunk(agreement_, [&](data::Part part, std::size_t first, std::size_t) {
      if (!chunks_.contains({n, part, first})) fetching.wanted.emplace_back(part, first);
    });
    std::ranges::reverse(fetching.wanted);
    fetch_more(n, tasks);
  }
  if (!training() && setup_complete()) tasks.push_back(report());
  return tasks;
}

std::size_t Client::asked_at_once(int sender) const {
  const std::size_t chunk = wire_bytes(DataSharer::kChunkRows * agreement_.inputs(sender));
  return std::clamp<std::size_t>(kMostBytesAsked / (chunk * fetching_.size()), 1, kAskedAtOnce);
}

void Client::fetch_more(int sender, Tasks& tasks) {
  auto& fetching = fetching_[static_cast<std::size_t>(sender)];
  std::erase_if(fetching.asked, [&](const auto& chunk) {
    return chunks_.contains({sender, chunk.first, chunk.second});
  });
  while (!fetching.wanted.empty() && fetching.asked.size() < asked_at_once(sender)) {
    const auto [part, first] = fetching.wanted.back();
    fetching.wanted.pop_back();
    fetching.asked.emplace_back(part, first);
    tasks.push_back(request(sender, part, first));
  }
}

// A chunk that comes twice counts once.
void Client::fetch_again(Tasks& tasks) {
  for (std::size_t n = 0; n < fetching_.size(); ++n) {
    for (const auto& [part, first] : fetching_[n].asked) {
      const int sender = static_cast<int>(n);
      if (!chunks_.contains({sender, part, first})) tasks.push_back(request(sender, part, first));
    }
  }
}

Task Client::request(int sender, data::Part part, std::size_t first_row) const {
  return send_now(to_client(sender, make_message(DataRequest{number_, part, first_row}), 24));
}

Tasks Client::on(const DataRequest& request) {
  if (!rows_line_up_) {
    const auto asked = std::ranges::count(early_requests_, request.from, &DataRequest::from);
    if (asked < static_cast<std::ptrdiff_t>(kAskedAtOnce)) early_requests_.push_back(request);
    return {};
  }
  std::size_t chunks = 0;
  for_each_chunk(agreement_, [&](data::Part, std::size_t, std::size_t) { ++chunks; });
  if (!dealings_.may_send_chunk(request.from, chunks)) {
    return complain(request.from,
                    fmt::format("it has asked for all rows more than {} times; restart this client "
                                "if its rows were really lost so often",
                                Dealings::kTablesSent));
  }
  return one({.background = true, .rows_for = request.from, .run = [this, request] {
                const std::size_t rows =
                    DataSharer::chunk_rows(agreement_, request.part, request.first_row);
                Effects effects;
                effects.sends.push_back(to_client(
                    request.from, data_chunk(request.part, request.first_row, request.from),
                    wire_bytes(rows * agreement_.inputs(number_))));
                return effects;
              }});
}

}  // namespace fedvs::protocol
