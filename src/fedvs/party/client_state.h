// What a client leaves in its folder, so that it can go on after a restart, here or elsewhere:
//   state/terms           once, when rows are about to be shared: the run. Without it and without a
//                         checkpoint others' models and rows are of an attempt and are removed
//   state/client.ckpt     and columns.ckpt: saved_client.h
//   state/plans-G.log     plan_notes.h
//   state/seeds.ckpt      the seeds of the run's masks, as they come; removed when the run is over
//   state/models          model_notes.h
//   state/rows.index      row_notes.h
//   state/coded-rows-P    the chunks themselves, mapped
// All of it is as secret as the client's data. What has to agree with what, and how large each
// gets: docs/design/durable-state.md
#pragma once
#include <filesystem>
#include <memory>
#include <optional>

#include "fedvs/net/wire/envelope.h"
#include "fedvs/party/model_notes.h"
#include "fedvs/party/plan_notes.h"
#include "fedvs/party/row_notes.h"
#include "fedvs/party/saved_client.h"
#include "fedvs/protocol/client/client.h"
#include "fedvs/protocol/client/coded_rows.h"

namespace fedvs::party {

class ClientState {
 public:
  // `state`: the folder, made if it is not there; `parties`: clients of the roster. kBadFile,
  // kCorrupt.
  static Result<ClientState> open(std::filesystem::path state, int parties);

  const std::filesystem::path& folder() const { return folder_; }

  // What was agreed when the run began; none before it has.
  const std::optional<wire::Terms>& terms() const { return terms_; }
  // kRefused if they are not those that it began with.
  Status check(const wire::Terms& terms) const;
  Status agree(const wire::Terms& terms);  // the same, and they are kept: before rows are shared

  using Columns = party::Columns;
  Status keep(const Columns& columns);         // when training begins
  Result<Columns> columns() const;             // kBadFile, kCorrupt
  Result<protocol::SavedParts> parts() const;  // of the checkpoint
  const Versions& named() const { return checkpoint_.named; }
  bool finished() const { return checkpoint_.finished; }
  void note_finished() { checkpoint_.finished = true; }  // saved with the next checkpoint

  Result<std::unique_ptr<protocol::CodedRows>> rows(const protocol::Agreement& agreement) const;
  // Brings a new client to where the last one was: its checkpoint, the plans after it, and the rows
  // whose checksums are right. Tells how many chunks were torn.
  Result<std::size_t> recall(const protocol::Agreement& agreement, protocol::Client& client);

  // What the client, which has just received it, has accepted of a message: before it is answered.
  Status note(const protocol::Client& client, const protocol::MessagePtr& message);
  Status save(protocol::Client& client);

 private:
  explicit ClientState(std::filesystem::path state, int parties)
      : folder_(std::move(state)), parties_(parties) {}
  friend struct ClientStateNotes;  // of tests: what a program that judged too late has written
  Status note_plan(const protocol::Step& step);
  Status note_missed(const protocol::Client& client, const protocol::Step& step);
  Status note_seeds(const protocol::Client& client);
  Status read_terms();
  Status read_checkpoint();
  Status remove_attempt() const;
  Status recall_models(const protocol::Agreement& agreement, protocol::Client& client);
  Status recall_seeds(protocol::Client& client);

  std::filesystem::path folder_;
  int parties_;
  std::optional<wire::Terms> terms_;
  ClientCheckpoint checkpoint_;    // its secrets until recalled
  std::uint64_t seeds_noted_ = 0;  // SeedBook::changes that are on the disk
  std::optional<PlanNotes> plans_;
  std::optional<RowNotes> rows_;
  std::optional<ModelNotes> models_;  // once the agreement is known
};

}  // namespace fedvs::party
