#include "fedvs/protocol/client/dealings.h"

#include <bit>
#include <utility>

namespace fedvs::protocol {
namespace {

constexpr std::size_t kMoreChunks = 4;  // beside whole tables
constexpr int kRowKeysAnswered = 4;

}  // namespace

void Dealings::meet_anew(int client, bool training) {
  if (!training) with_[client].chunks_sent = 0;
  with_[client].row_keys = 0;
}

bool Dealings::complain(int client) { return std::has_single_bit(++with_[client].complaints); }

std::size_t Dealings::stale_rows(int client) {
  const std::size_t times = ++with_[client].stale_rows;
  return std::has_single_bit(times) ? times : 0;
}

bool Dealings::first_models_for(int client, const Incarnation& life) {
  return std::exchange(with_[client].models_sent_to, life) != life;
}

bool Dealings::first_seeds_for(int client, const Incarnation& life) {
  return std::exchange(with_[client].seeds_sent_to, life) != life;
}

bool Dealings::may_send_chunk(int client, std::size_t chunks_in_all) {
  return ++with_[client].chunks_sent <= kTablesSent * (chunks_in_all + kMoreChunks);
}

bool Dealings::may_answer_row_key() { return ++with_[0].row_keys <= kRowKeysAnswered; }

}  // namespace fedvs::protocol
