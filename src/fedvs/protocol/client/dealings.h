// How often a client has answered and complained about each of the others, so that nobody can make
// it send without end. Counted per life of this client.
#pragma once
#include <cstddef>

#include "fedvs/protocol/identity.h"
#include "fedvs/protocol/per_client.h"

namespace fedvs::protocol {

class Dealings {
 public:
  explicit Dealings(int clients) : with_(clients) {}

  void begin_anew() { with_ = PerClient<Dealing>(with_.size()); }  // this client has a new life
  // Another client has one. Its rows are counted on after training has begun: else it could have
  // all of them sent again and again by making new lives.
  void meet_anew(int client, bool training);

  // Whether to say it: the first, second, fourth, eighth ... time.
  bool complain(int client);
  // How often it has sent rows of a sharing that is not its present one; 0: not worth a warning
  // (it is at the first, second, fourth ... time).
  std::size_t stale_rows(int client);
  // Whether this life of it has not been sent them before.
  bool first_models_for(int client, const Incarnation& life);
  bool first_seeds_for(int client, const Incarnation& life);
  // Whether one more may be sent, where all of its rows are `chunks_in_all`. Lost chunks are asked
  // for again, and files are lost: up to kTablesSent times all of them, and a few.
  static constexpr std::size_t kTablesSent = 8;
  bool may_send_chunk(int client, std::size_t chunks_in_all);
  // Of the first client, which everybody answers to everybody: up to four in each of its lives.
  bool may_answer_row_key();

 private:
  struct Dealing {
    Incarnation models_sent_to{}, seeds_sent_to{};
    std::size_t chunks_sent = 0, complaints = 0, stale_rows = 0;
    int row_keys = 0;
  };
  PerClient<Dealing> with_;
};

}  // namespace fedvs::protocol
