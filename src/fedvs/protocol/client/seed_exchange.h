// How clients tell each other the seeds of masks, and the mask that a client makes of them.
#pragma once
#include <optional>
#include <span>

#include "fedvs/coding/lagrange.h"
#include "fedvs/coding/seeded_mask.h"
#include "fedvs/protocol/client/options.h"
#include "fedvs/protocol/client/seed_book.h"
#include "fedvs/protocol/client/upload_mask.h"
#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

class SeedExchange {
 public:
  // References, and the mask in the options, outlive it.
  SeedExchange(int client, const Agreement& agreement, const coding::LagrangeCode& code,
               const ClientOptions& options);
  SeedBook& book() { return book_; }
  const SeedBook& book() const { return book_; }
  const UploadMask* mask() const { return mask_; }  // null: the paper's opening has none

  void tell_own(Tasks& tasks) const;            // to all others, those that it has made
  void tell_known(int to, Tasks& tasks) const;  // all that it holds and the other may know
  void ask(Tasks& tasks) const;                 // all others, for those that it may know

 private:
  void tell(int to, int maker, Tasks& tasks) const;
  const int client_;
  const Agreement& agreement_;
  SeedBook book_;
  std::optional<coding::SeededMasks> seeded_;  // none where somebody else makes the mask
  std::optional<OwnUploadMask> own_mask_;
  const UploadMask* mask_;
};

}  // namespace fedvs::protocol
