// The newest shares of others' models, as they come: state/models, mapped, of one size for the
// whole run. A client that is killed loses what came since its checkpoint, and senders that died
// meanwhile cannot send it again: then it could answer no plan that names it.
#pragma once
#include <filesystem>

#include "fedvs/protocol/client/client.h"
#include "fedvs/store/newest_records.h"

namespace fedvs::party {

// One share, as it came. kCorrupt.
Status recall_model(const protocol::Agreement& agreement, protocol::Client& client,
                    std::string_view message);

class ModelNotes {
 public:
  static Result<ModelNotes> open(const std::filesystem::path& file,
                                 const protocol::Agreement& agreement);  // kBadFile
  void add(const protocol::ModelShare& share);
  void recall(const protocol::Agreement& agreement, protocol::Client& client) const;

 private:
  ModelNotes(store::NewestRecords records, int senders)
      : records_(std::move(records)), senders_(senders) {}
  store::NewestRecords records_;
  int senders_;
};

}  // namespace fedvs::party
