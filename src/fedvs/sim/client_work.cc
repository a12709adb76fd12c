#include "fedvs/sim/client_work.h"

#include "fedvs/base/thread_pool.h"

namespace fedvs::sim {

void ClientWork::add(std::function<void()> on_model) {
  if (numbers_ == Numbers::kComputed) DeferredWork::add(std::move(on_model));
}

protocol::MatrixPtr ClientWork::add(protocol::UploadWork upload) {
  if (numbers_ != Numbers::kNone) return DeferredWork::add(std::move(upload));
  const std::size_t rows = upload.plan()->rows.size();
  if (!blank_ || blank_->rows() != rows) blank_ = upload.make_room();
  return blank_;
}

void ClientWork::begin_models() {
  if (models_.empty() || ThreadPool::global().threads() == 1) return;
  strand_.post(std::exchange(models_, {}));
}

void ClientWork::forget_uploads_but(const protocol::Plan* of) {
  std::erase_if(uploads_, [of](const auto& upload) { return upload.plan().get() != of; });
}

}  // namespace fedvs::sim
