// The zero masks of all clients in one process, where all seeds are known: the polynomial of a plan
// is summed once and evaluated at every client's point. The same bytes as each client would make
// from the seeds that it knows itself.
#pragma once
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "fedvs/coding/lagrange.h"
#include "fedvs/coding/seeded_mask.h"
#include "fedvs/protocol/client/upload_mask.h"

namespace fedvs::sim {

class SharedMasks {
 public:
  // Makes the seeds that the clients make: `secrets` is a seeded source. All outlive it.
  SharedMasks(const protocol::Agreement& agreement, const coding::LagrangeCode& code,
              SecretSource& secrets);
  ~SharedMasks();
  const protocol::UploadMask* of(int client) const;

 private:
  class MaskOfClient;
  using Coefficients = std::vector<field::RingMatrix>;
  struct Plan {
    Digest content;
    std::size_t rows;
    std::shared_ptr<const Coefficients> coefficients;
  };
  std::shared_ptr<const Coefficients> coefficients(const Digest& content, std::size_t rows,
                                                   std::size_t cols) const;
  const coding::LagrangeCode& code_;
  coding::SeededMasks masks_;
  std::vector<coding::Seed> seeds_;  // by set
  std::vector<std::unique_ptr<const protocol::UploadMask>> of_clients_;
  mutable std::mutex mutex_;
  mutable std::deque<Plan> recent_;  // of the plans being computed: one or two
};

}  // namespace fedvs::sim
