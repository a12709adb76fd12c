// What a client adds to its upload so that nothing shows but the sums: O(alpha_m) of the plan.
#pragma once
#include "fedvs/base/digest.h"
#include "fedvs/coding/seeded_mask.h"
#include "fedvs/protocol/client/seed_book.h"

namespace fedvs::protocol {

class UploadMask {
 public:
  virtual ~UploadMask() = default;
  // upload += O(alpha_m). `content`: d of the plan (plan_content.h), so that two plans never have
  // one mask and a repeated upload is the same bytes. Safe from several threads.
  virtual void add_to(field::RingMatrix& upload, const Digest& content) const = 0;
};

// From the seeds that the client knows itself.
class OwnUploadMask final : public UploadMask {
 public:
  // Both outlive it.
  OwnUploadMask(const coding::SeededMasks& masks, const SeedBook& seeds, int client)
      : masks_(masks), seeds_(seeds), client_(client) {}
  void add_to(field::RingMatrix& upload, const Digest& content) const override {
    field::add_into(upload,
                    masks_.share(seeds_.seeds(), content, client_, upload.rows(), upload.cols()));
  }

 private:
  const coding::SeededMasks& masks_;
  const SeedBook& seeds_;
  int client_;
};

}  // namespace fedvs::protocol
