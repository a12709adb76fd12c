// A client's own model in the run: which gradients it has seen, which versions of it were shared,
// and the shares of the newest ones, for clients that come back. A step is shared once per life.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/coding/lagrange.h"
#include "fedvs/protocol/client/local_model.h"
#include "fedvs/protocol/messages.h"
#include "fedvs/protocol/share.h"

namespace fedvs::protocol {

class OwnModel {
 public:
  // References outlive it.
  OwnModel(int client, const Agreement& agreement, const coding::LagrangeCode& code,
           SecretSource& secrets, LocalModel model);
  LocalModel& local() { return local_; }
  const LocalModel& local() const { return local_; }
  StepNumber step() const { return local_.step(); }

  // ---- gradients that have come: applied, or waiting for this client to compute
  StepNumber received() const { return received_; }
  void receive_one() { ++received_; }
  StepNumber saved() const { return saved_; }  // the client can start again from this step
  void note_saved() { saved_ = local_.step(); }
  Status restore(const v1::SavedModel& from);  // kCorrupt

  // ---- sharing
  void begin_life() { shared_.reset(); }
  bool begin_sharing(StepNumber step);  // false: this life has shared it
  // The terms of the step's shares; drawn when first needed, after round().
  std::shared_ptr<Secret> secret(StepNumber step);
  std::shared_ptr<const Shares> shares(std::shared_ptr<const Secret> secret) const;
  // Fixes the integers of the step. An error: they do not fit the ring, and must not be shared.
  Status round(StepNumber step) { return local_.round(step, secrets_); }

  // ---- shares kept to be sent again to clients that come back: of the newest version, in whatever
  // life it was shared, and of the one that plans name
  struct Kept {
    Version version;
    Digest link;  // of the gradients before it
    std::shared_ptr<const Shares> shares;
  };
  void keep(Kept shared, const std::optional<Version>& named);
  const std::vector<Kept>& kept() const { return kept_; }

 private:
  const int client_;
  const Agreement& agreement_;
  const coding::LagrangeCode& code_;
  SecretSource& secrets_;
  LocalModel local_;
  StepNumber received_ = 0, saved_ = 0;
  std::optional<StepNumber> shared_;  // the newest, in this life
  std::vector<Kept> kept_;
};

}  // namespace fedvs::protocol
