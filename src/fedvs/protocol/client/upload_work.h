// Step 2 of 5, evaluate: one upload of one plan, decided upon at once and computed later.
//   u_m = sum_n X~_nm W~_nm + O(alpha_m)                                       Paper: Eq. (5)
// Costs b D h multiply-adds. Keeps the shares that the plan names alive until then.
#pragma once
#include <memory>
#include <vector>

#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/client/coded_rows.h"
#include "fedvs/protocol/client/share_shelf.h"
#include "fedvs/protocol/client/upload_mask.h"

namespace fedvs::protocol {

class UploadWork {
 public:
  // All that the plan names is held. `mask` outlives the evaluation, null: none (paper's opening);
  // `content`: d of the plan.
  UploadWork(const Agreement& agreement, std::shared_ptr<const Plan> plan, const CodedRows& rows,
             const ShareShelf& shelf, const UploadMask* mask, const Digest& content);
  MatrixPtr make_room();  // for the result, b x h: filled by compute()
  void compute();         // needs room
  const std::shared_ptr<const Plan>& plan() const { return plan_; }
  const Digest& content() const { return content_; }
  std::span<const SharePtr> models() const { return models_; }

 private:
  const Agreement* agreement_;
  std::shared_ptr<const Plan> plan_;
  const CodedRows* rows_;
  std::vector<SharePtr> models_;  // null for a client that the plan dropped
  const UploadMask* mask_;
  Digest content_;
  std::shared_ptr<field::RingMatrix> result_;
};

}  // namespace fedvs::protocol
