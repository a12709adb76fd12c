#include "fedvs/protocol/client/upload_work.h"

#include "fedvs/field/panels.h"
#include "fedvs/field/product.h"

namespace fedvs::protocol {
namespace {

// One pair of matrices per thread, made again only when the shape changes.
field::RingMatrix& reused(field::RingMatrix& matrix, const field::Ring& ring, std::size_t rows,
                          std::size_t cols) {
  if (matrix.rows() != rows || matrix.cols() != cols || !(matrix.ring() == ring)) {
    matrix = field::RingMatrix(ring, rows, cols);
  }
  return matrix;
}

void prefetch(std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kLine = 64, kSecondLevel = std::size_t{1} << 19;  // half of a usual cache
  if (bytes.size() > kSecondLevel) return;
  for (std::size_t at = 0; at < bytes.size(); at += kLine) {
    __builtin_prefetch(bytes.data() + at, /*write=*/0, /*locality=*/2);
  }
}

thread_local field::RingMatrix batch_of_this_thread, panels_of_this_thread;

}  // namespace

UploadWork::UploadWork(const Agreement& agreement, std::shared_ptr<const Plan> plan,
                       const CodedRows& rows, const ShareShelf& shelf, const UploadMask* mask,
                       const Digest& content)
    : agreement_(&agreement), plan_(std::move(plan)), rows_(&rows), mask_(mask), content_(content) {
  models_.reserve(plan_->versions.size());
  for (std::size_t n = 0; n < plan_->versions.size(); ++n) {
    const auto& version = plan_->versions[n];
    models_.push_back(version ? shelf.find(static_cast<int>(n), *version) : nullptr);
    FEDVS_CHECK(!version || models_.back(), "every version that a plan names is held");
  }
}

// Step 2 of 5, evaluate.                                                      Paper: Eq. (5)
//   at client m:  sum_n X~_nm W~_nm, from the shares that it holds of everybody's rows and models
// Sends    nothing.       Costs  b (D + masks of its family) h multiply-adds, with step 3.
// Reveals  nothing: a share of a sum of products of shares, which stays here until it is masked.
MatrixPtr UploadWork::make_room() {
  result_ = std::make_shared<field::RingMatrix>(
      field::RingMatrix::unset(agreement_->ring, plan_->rows.size(), agreement_->width));
  return result_;
}

void UploadWork::compute() {
  const std::size_t depth = agreement_->total_padded_inputs();
  auto& batch = reused(batch_of_this_thread, agreement_->ring, plan_->rows.size(), depth);
  auto& panels = reused(panels_of_this_thread, agreement_->ring,
                        field::panel_rows(agreement_->width), field::panel_cols(depth));
  const auto& coded = rows_->gather(plan_->part, plan_->rows, batch);
  prefetch(coded.bytes());  // on its way while the models are placed
  rows_->place(models_, panels);
  field::multiply(coded, panels, agreement_->width, *result_);
  if (mask_ != nullptr) mask_->add_to(*result_, content_);
}

}  // namespace fedvs::protocol
