// The plan that a client has accepted last, and how far it is with its upload.
//   none --open--> waits for rows, models, agreement --begin_upload--> uploads
//   either --open--> the next one;  either --withdraw--> none: an upload that has not left does not
#pragma once
#include <cstddef>
#include <memory>
#include <utility>

#include "fedvs/protocol/client/share_shelf.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

class OpenPlan {
 public:
  void open(std::shared_ptr<const Plan> plan, const Digest& content);
  void withdraw() { plan_.reset(); }
  void begin_life();  // nothing is open; what it has trained on stays known

  const std::shared_ptr<const Plan>& plan() const { return plan_; }        // null: none
  const Digest& content() const { return content_; }                       // d of it
  const std::shared_ptr<const Plan>& trained() const { return trained_; }  // the newest to train on
  bool has_trained_on(const Plan& plan) const;                             // it is the newest

  bool waits() const { return plan_ && !uploading_; }
  void begin_upload() { uploading_ = true; }
  // Whether all versions that the plan names are there; needs a plan. Those that were there once
  // are not looked for again.
  bool versions_are_on(const ShareShelf& shelf);

 private:
  std::shared_ptr<const Plan> plan_, trained_;
  Digest content_{};
  bool uploading_ = false;
  int versions_found_ = 0;  // of clients 0 .. versions_found_ - 1
};

}  // namespace fedvs::protocol
