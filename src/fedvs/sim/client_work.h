// A client's arithmetic in the simulator: done beside the other clients' on the thread pool, or
// left out where a run is only gone through.
#pragma once
#include <span>

#include "fedvs/protocol/client/deferred_work.h"
#include "fedvs/sim/numbers.h"
#include "fedvs/sim/strand.h"

namespace fedvs::sim {

class ClientWork final : public protocol::DeferredWork {
 public:
  void set_numbers(Numbers numbers) { numbers_ = numbers; }

  void add(std::function<void()> on_model) override;
  // While a run is replayed, uploads are kept: those of the plan that is open at its end are still
  // to be computed. In a dry run all uploads of one size are one matrix, which nobody reads.
  protocol::MatrixPtr add(protocol::UploadWork upload) override;

  // What is to be done on the model is begun at once, where there are threads for it: it is needed
  // when the next sum is opened (ThreadPool::wait).
  void begin_models();
  std::span<const protocol::UploadWork> uploads() const { return uploads_; }
  std::vector<protocol::UploadWork> take_uploads() { return std::exchange(uploads_, {}); }
  void forget_uploads() { uploads_.clear(); }
  void forget_uploads_but(const protocol::Plan* of);

 private:
  Numbers numbers_ = Numbers::kComputed;
  Strand strand_;
  std::shared_ptr<const field::RingMatrix> blank_;
};

}  // namespace fedvs::sim
