// The uploads of the current plan, and of the one opened last (later ones check its result).
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/coding/opening.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

class UploadBox {
 public:
  UploadBox(const Agreement& agreement, const coding::LagrangeCode& code);

  void expect(std::shared_ptr<const Plan> plan);  // forgets the uploads for any other plan
  // kRefused for an upload that is not for the current plan, of a wrong size or a repetition.
  Status add(const MessagePtr& message);
  int count() const { return static_cast<int>(uploads_.size()); }
  std::vector<int> responders() const;  // in order of arrival
  bool has_opened() const { return opened_; }

  // Step 4 of 5, open: the K segments' sums stacked, K b x h.                  Paper: Eq. (6)
  // Waits for R uploads; later ones only check the result. `wrong`: uploaders found out.
  struct Opened {
    std::vector<std::int64_t> sums;
    std::vector<int> wrong;
  };
  Result<Opened> open();
  // Whether an upload that came after the opening lies on the opened polynomial.
  bool consistent(const Upload& upload) const;

 private:
  std::vector<coding::Share> shares() const;
  const Agreement& agreement_;
  const coding::LagrangeCode& code_;
  std::shared_ptr<const Plan> plan_;
  std::vector<MessagePtr> uploads_;
  bool opened_ = false;
};

}  // namespace fedvs::protocol
