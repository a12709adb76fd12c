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

  void expect(std::shared_ptr<const Plan> plan);  // keeps the uploads of an opened plan, no others
  // What uploads for it have to carry; before it is said any tag will do.
  void expect_tag(const Digest& tag) { current_.tag = tag; }
  // kRefused for an upload that is not for the current plan, of a wrong size a repetition, one
  // that was computed for another content of the plan, or that comes after the opening.
  Status add(const MessagePtr& message);
  bool is_open(std::uint64_t revision) const {
    return current_.plan && !current_.opened && current_.plan->revision == revision;
  }
  int count() const { return static_cast<int>(current_.uploads.size()); }
  std::vector<int> responders() const;  // in order of arrival
  void close() { current_.opened = true; }
  void reopen() { current_.opened = false; }  // more uploads of it are wanted
  void drop(int client);                      // what it has uploaded for the plan that is open
  bool has_upload_of(int client) const;

  // Step 4 of 5, open: the K segments' sums stacked, K b x h.                  Paper: Eq. (6)
  // Waits for R uploads; later ones only check the result. `wrong`: uploaders found out, which
  // takes two more uploads than R for every one of them. kCorrupt where the uploads contradict each
  // other and do not tell which are wrong.
  struct Opened {
    std::vector<std::int64_t> sums;
    std::vector<int> wrong;
  };
  Result<Opened> open();
  // Uploads that come after the opening of their plan are kept until the next one is opened; then
  // whether they lie on the opened polynomial. Those after the last opening of a run, or before it
  // was stopped, are never looked at: nothing depends on them.
  void keep_late(const MessagePtr& message);
  struct Contradiction {  // of the uploads of a plan that was opened
    std::shared_ptr<const Plan> plan;
    std::vector<int> wrong;   // none: it cannot be told which
    bool was_opened = false;  // with one of them
    Error error;
  };
  std::vector<Contradiction> check_late();

 private:
  struct Uploads {
    std::shared_ptr<const Plan> plan;
    std::vector<MessagePtr> uploads;
    bool opened = false;
    bool checked = false;  // its sum was read: others can be compared with it
    std::optional<Digest> tag = {};
    std::vector<int> wrong = {};  // found out at the opening
  };
  std::vector<coding::Share> shares(const Uploads& of) const;
  const Uploads* opened(const Upload& upload) const;  // of the upload's plan; null if not open
  std::optional<Contradiction> check_late(const Uploads& of,
                                          const std::vector<MessagePtr>& late) const;
  // Of uploads that do not lie on one polynomial: the wrong ones, where there are enough to tell.
  std::optional<coding::Correction> found_out(const std::vector<coding::Share>& shares) const;
  // What to say of them.
  Error contradiction(const Plan& plan, const std::vector<coding::Share>& shares,
                      const std::vector<int>& wrong) const;

  const Agreement& agreement_;
  const coding::LagrangeCode& code_;
  Uploads current_, last_;
  std::vector<MessagePtr> late_;
};

}  // namespace fedvs::protocol
