// How far the sharing of rows is: of every pair, how many coded rows of the sender its recipient
// has reported. Sharing may take hours; what ends a run is that nothing moves any more.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

class SharingProgress {
 public:
  explicit SharingProgress(const Agreement& agreement);

  void begin(double now);  // everybody shares, or shares again; what was reported stays
  void update(int client, const Holdings& holdings, double now);
  // Bytes of rows are on their way, though no chunk has arrived: a large one takes long on a slow
  // link. Does not count any more once asking for lost chunks again has brought no row.
  void bytes_flow(double now);
  double still_for(double now) const { return now - moved_at_; }
  // Whether chunks should be asked for again that may be lost: nothing has moved for `after`
  // seconds, nor since it was said the last time.
  bool should_ask_again(double now, double after);

  double held(int recipient, int sender) const;  // of 0 to 1
  double held_by(int recipient) const;           // of all senders' rows
  double held_by_all() const;
  double seconds_left(double now) const;  // by the rate of late; < 0: unknown
  // "client 3 holds 2048 of 9000 coded rows of client 5, ...": pairs that are not done, the least
  // advanced first; a few of them.
  std::string unfinished() const;

 private:
  std::uint64_t& rows(int recipient, int sender) {
    return rows_[static_cast<std::size_t>(recipient * agreement_.shape.parties + sender)];
  }
  std::uint64_t rows(int recipient, int sender) const {
    return rows_[static_cast<std::size_t>(recipient * agreement_.shape.parties + sender)];
  }
  std::uint64_t rows_of(int recipient) const;
  std::uint64_t rows_of_all() const;
  void mark(double now);
  const Agreement& agreement_;
  std::uint64_t all_;                // coded rows of one sender
  std::vector<std::uint64_t> rows_;  // by recipient and sender
  struct Mark {
    double at;
    std::uint64_t rows;  // of all pairs
  };
  std::deque<Mark> marks_;  // the last ones, of different seconds
  double moved_at_ = 0, asked_again_at_ = 0;
  int asked_in_vain_ = 0;
};

}  // namespace fedvs::protocol
