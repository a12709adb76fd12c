// Rows between clients that live apart: first whether they line up, then chunk by chunk, each asked
// for by its recipient.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/wipe.h"
#include "fedvs/protocol/client.h"

namespace fedvs::protocol {
namespace {

constexpr std::size_t kAskedAtOnce = 4;  // chunks, of every sender

}  // namespace

Outgoing Client::to_client(int to, MessagePtr message, std::size_t bytes) const {
  return outgoing(to, Channel::kBulk, bytes, std::move(message));
}

// The first client draws the key; each tells all others the digest of its row ids under it.
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
  row_key_ = key.key;
  const RowCheck check{number_, options_.row_count, options_.row_digest(key.key)};
  Tasks tasks;
  for (int to = 0; to < agreement_.shape.parties; ++to) {
    tasks.push_back(send_now(to_client(to, make_message(check), sizeof check)));
  }
  return tasks;
}

// Nothing is shared before all N are equal. Who differs is said by everybody who sees it.
Tasks Client::on(const RowCheck& check) {
  row_checks_[static_cast<std::size_t>(check.from)] = check;
  if (rows_line_up_ ||
      !std::ranges::all_of(row_checks_, [](const auto& c) { return c.has_value(); })) {
    return {};
  }
  const RowCheck& own = *row_checks_[static_cast<std::size_t>(number_)];
  for (const auto& other : row_checks_) {
    if (other->rows != own.rows) {
      return one(refuse(fmt::format("{} has {} rows, {} has {}: all must hold the same rows",
                                    agreement_.name(other->from), other->rows,
                                    agreement_.name(number_), own.rows)));
    }
    if (other->digest != own.digest) {
      return one(
          refuse(fmt::format("{} and {} have {} rows each, but not the same ids",
                             agreement_.name(other->from), agreement_.name(number_), own.rows)));
    }
  }
  rows_line_up_ = true;
  Tasks tasks = begin_fetching();
  for (const auto& request : std::exchange(early_requests_, {})) append(tasks, on(request));
  return tasks;
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
  if (!training_ && setup_complete()) tasks.push_back(report());
  return tasks;
}

void Client::fetch_more(int sender, Tasks& tasks) {
  auto& fetching = fetching_[static_cast<std::size_t>(sender)];
  std::erase_if(fetching.asked, [&](const auto& chunk) {
    return chunks_.contains({sender, chunk.first, chunk.second});
  });
  while (!fetching.wanted.empty() && fetching.asked.size() < kAskedAtOnce) {
    const auto [part, first] = fetching.wanted.back();
    fetching.wanted.pop_back();
    fetching.asked.emplace_back(part, first);
    tasks.push_back(request(sender, part, first));
  }
}

Task Client::request(int sender, data::Part part, std::size_t first_row) const {
  return send_now(to_client(sender, make_message(DataRequest{number_, part, first_row}), 24));
}

Tasks Client::on(const DataRequest& request) {
  if (!rows_line_up_) {
    const std::size_t most = kAskedAtOnce * row_checks_.size();
    if (early_requests_.size() < most) early_requests_.push_back(request);
    return {};
  }
  return one({.run = [this, request] {
    const std::size_t rows = DataSharer::chunk_rows(agreement_, request.part, request.first_row);
    Effects effects;
    effects.sends.push_back(to_client(request.from,
                                      data_chunk(request.part, request.first_row, request.from),
                                      wire_bytes(rows * agreement_.inputs(number_))));
    return effects;
  }});
}

}  // namespace fedvs::protocol
