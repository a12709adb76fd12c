// Arithmetic that a client has decided upon and that its driver has done later.
// Where arithmetic is skipped, as in a replay, nothing is kept.
#pragma once
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "fedvs/protocol/client/upload_work.h"
#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

class DeferredWork {
 public:
  void set_arithmetic(Arithmetic arithmetic) { arithmetic_ = arithmetic; }
  Arithmetic arithmetic() const { return arithmetic_; }
  bool is_real() const { return arithmetic_ == Arithmetic::kReal; }

  // ---- on the client's own model, to be done in the order in which it was added
  void add(std::function<void()> work) {
    if (is_real()) models_.push_back(std::move(work));
  }
  bool has_models() const { return !models_.empty(); }
  std::vector<std::function<void()>> take_models() { return std::exchange(models_, {}); }
  void compute_models() {
    for (const auto& work : models_) work();
    models_.clear();
  }

  // ---- uploads, which read what the others have shared
  void add(UploadWork upload) { uploads_.push_back(std::move(upload)); }
  std::span<const UploadWork> uploads() const { return uploads_; }
  std::vector<UploadWork> take_uploads() { return std::exchange(uploads_, {}); }
  void compute_uploads() {
    for (auto& upload : uploads_) upload.compute();
    uploads_.clear();
  }

 private:
  Arithmetic arithmetic_ = Arithmetic::kReal;
  std::vector<std::function<void()>> models_;
  std::vector<UploadWork> uploads_;
};

}  // namespace fedvs::protocol
