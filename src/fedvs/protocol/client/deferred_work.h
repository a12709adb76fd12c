// Arithmetic that a client has decided upon and that its driver has done later, since no decision
// depends on it. A driver that computes for several clients together, or not at all, gives each
// client a work of its own kind (ClientOptions::work; sim/client_work.h).
#pragma once
#include <functional>
#include <utility>
#include <vector>

#include "fedvs/protocol/client/upload_work.h"

namespace fedvs::protocol {

class DeferredWork {
 public:
  virtual ~DeferredWork() = default;

  // ---- on the client's own model: learns, rounds, draws the terms of its shares, forgets. Touches
  // the state of this client only; to be done in the order in which it was added
  virtual void add(std::function<void()> on_model) { models_.push_back(std::move(on_model)); }
  void compute_models() {
    for (const auto& work : models_) work();
    models_.clear();
  }

  // ---- uploads, which read what the others have shared
  // Returns what the upload's values will be, once it is computed.
  virtual MatrixPtr add(UploadWork upload) {
    auto values = upload.make_room();
    uploads_.push_back(std::move(upload));
    return values;
  }
  void compute_uploads() {
    for (auto& upload : uploads_) upload.compute();
    uploads_.clear();
  }

 protected:
  std::vector<std::function<void()>> models_;
  std::vector<UploadWork> uploads_;
};

}  // namespace fedvs::protocol
