// Whether a client uploads, or sits out an epoch because its memory is older than what it has
// uploaded: a second upload for a row under other versions would tell the difference of two sums.
//   takes part                    begin()          -> sits out, epoch not known
//   sits out, epoch not known     plan of epoch e  -> sits out epoch e
//   sits out epoch e              plan of epoch e  -> stays; of a later epoch -> takes part
// A client sits out in any state of states.h, over all its lives.
#pragma once
#include <optional>

namespace fedvs::v1 {
class SavedSittingOut;
}

namespace fedvs::protocol {

class SittingOut {
 public:
  void begin() {
    sits_out_ = true;
    epoch_.reset();
  }
  void see_plan_of(int epoch) {
    if (!sits_out_) return;
    if (!epoch_) epoch_ = epoch;
    if (epoch > *epoch_) sits_out_ = false;
  }
  bool now() const { return sits_out_; }

  void save(v1::SavedSittingOut& to) const;
  void restore(const v1::SavedSittingOut& from);

 private:
  bool sits_out_ = false;
  std::optional<int> epoch_;  // the one sat out last; none: not known yet, or it never did
};

}  // namespace fedvs::protocol
