// Which coded rows are trained on when. Every epoch is a new shuffle of all coded rows; rows of an
// abandoned plan wait for the next epoch.
#pragma once
#include <cstdint>
#include <vector>

#include "fedvs/protocol/agreement.h"

namespace fedvs::protocol {

class BatchSchedule {
 public:
  BatchSchedule(const Agreement& agreement, std::uint64_t seed);

  struct Batch {
    int epoch;  // from 0
    std::vector<std::size_t> rows;
  };
  bool epoch_has_more() const { return next_ < batches_.size(); }
  int epoch() const { return epoch_; }
  void start_next_epoch();
  Batch take();  // of this epoch, or of the next one where this has no more
  // Where it stands, for a checkpoint: so many batches of `epoch` have been taken.
  std::size_t taken() const { return next_; }
  void restore(int epoch, std::size_t taken);

 private:
  void join_single_sample();
  const Agreement& agreement_;
  std::uint64_t seed_;
  int epoch_ = -1;
  std::size_t next_ = 0;
  std::vector<std::vector<std::size_t>> batches_;
};

// Consecutive chunks of a part's coded rows, none larger than a plan may be.
std::vector<std::vector<std::size_t>> evaluation_chunks(const Agreement& agreement,
                                                        data::Part part);

}  // namespace fedvs::protocol
