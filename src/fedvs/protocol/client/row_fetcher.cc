#include "fedvs/protocol/client/row_fetcher.h"

#include <algorithm>
#include <utility>

#include "fedvs/protocol/chunks.h"

namespace fedvs::protocol {
namespace {

// All that is asked for may wait at the server for a slow link, whose queue must not overflow.
constexpr std::size_t kMostBytesAsked = std::size_t{96} << 20;

}  // namespace

RowFetcher::RowFetcher(const Agreement& agreement)
    : agreement_(agreement), fetching_(agreement.shape.parties) {}

std::vector<Chunk> RowFetcher::begin(int sender, const HeldRows& held) {
  auto& fetching = fetching_[sender] = {};
  for_each_chunk(agreement_, [&](data::Part part, std::size_t first, std::size_t) {
    if (!held.holds(sender, {part, first})) fetching.wanted.emplace_back(part, first);
  });
  std::ranges::reverse(fetching.wanted);
  return go_on(sender, held);
}

std::vector<Chunk> RowFetcher::go_on(int sender, const HeldRows& held) {
  auto& [wanted, asked] = fetching_[sender];
  std::erase_if(asked, [&](const Chunk& chunk) { return held.holds(sender, chunk); });
  std::vector<Chunk> next;
  while (!wanted.empty() && asked.size() < asked_at_once(sender)) {
    next.push_back(wanted.back());
    asked.push_back(wanted.back());
    wanted.pop_back();
  }
  return next;
}

std::vector<Chunk> RowFetcher::ask_anew(int sender, const HeldRows& held) {
  auto& [wanted, asked] = fetching_[sender];
  for (const Chunk& chunk : std::exchange(asked, {})) wanted.push_back(chunk);
  return go_on(sender, held);
}

std::vector<Chunk> RowFetcher::repeat(int sender, const HeldRows& held) const {
  std::vector<Chunk> lacking;
  for (const Chunk& chunk : fetching_[sender].asked) {
    if (!held.holds(sender, chunk)) lacking.push_back(chunk);
  }
  return lacking;
}

std::size_t RowFetcher::asked_at_once(int sender) const {
  const std::size_t chunk = kChunkRows * agreement_.inputs(sender) *
                            static_cast<std::size_t>(agreement_.ring.bytes_per_element());
  const auto senders = static_cast<std::size_t>(fetching_.size());
  return std::clamp<std::size_t>(kMostBytesAsked / (chunk * senders), 1, kAskedAtOnce);
}

}  // namespace fedvs::protocol
