// What a client writes down during one run, before it answers: its state, and what outlives the
// run, in files beside state/:
//   groups.ckpt   the groups that its models move in        (group_memory.h)
//   runs.ckpt     the sharings that the run is trained over  (run_memory.h)
//   refused.json, evidence-<index>.json   once it has broken off
#pragma once
#include "fedvs/drive/client_driver.h"
#include "fedvs/party/client_kit.h"
#include "fedvs/party/run_memory.h"
#include "fedvs/party/saving_pace.h"

namespace fedvs::party {

class ClientNotes final : public drive::ClientJournal {
 public:
  // All outlive the notes.
  ClientNotes(ClientKit& kit, const wire::Terms& terms, protocol::Client& client);

  Status note(const protocol::MessagePtr& message) override;
  void note_broken_off() override;
  // The model and all that goes with it; before rows are shared there is nothing to save.
  void save_if_due();
  void save();
  // Why the run cannot go on: its state could not be saved, or it has broken off.
  const Status& status() const { return status_; }

 private:
  Status note_rows_line_up();
  Status note_groups();
  Status note_plan_of(const protocol::Step& step);
  Status note_run(RunMemory::Whose whose) const;

  ClientKit& kit_;
  const wire::Terms& terms_;
  protocol::Client& client_;
  bool own_sharing_noted_ = false, rows_noted_ = false, groups_noted_ = false;
  bool all_sharings_noted_ = false;
  std::vector<bool> frozen_;  // groups, by client, of the last plan
  SavingPace pace_;
  Status status_;
};

}  // namespace fedvs::party
