// What a client leaves in its folder, so that it can go on after a restart, here or elsewhere:
//   state/terms          once, when rows are about to be shared: the run. Without it and without a
//                        checkpoint others' models and rows are of an attempt and are removed
//   state/columns.ckpt   once: the names of its columns, and how it standardises them
//   state/client.ckpt    the model, versions as they were rounded, notes of what was uploaded,
//                        others' models; written now and then, whole or not at all
//   state/seeds.ckpt     the seeds of the run's masks, as they come; removed when the run is over
//   state/models         the newest shares of others' models, mapped: as they come
//   state/plans-G.log    plans accepted since checkpoint G, each written after it was judged and
//                        before it is answered. One of a later checkpoint than the one that is
//                        there: what was uploaded before it is not known any more
//   state/rows.index     which chunks of others' rows have come, of which sharing, and their
//                        checksums; of two notes of one chunk the later counts
//   state/coded-rows-P   the chunks themselves, mapped
// All of it is as secret as the client's data.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "fedvs/base/secret_text.h"
#include "fedvs/data/prepared.h"
#include "fedvs/net/wire/envelope.h"
#include "fedvs/party/trained.h"
#include "fedvs/protocol/client/client.h"
#include "fedvs/protocol/client/coded_rows.h"
#include "fedvs/store/newest_records.h"
#include "fedvs/store/record_log.h"

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

  struct Columns {
    std::vector<std::string> names;
    data::Standardiser standardiser;
  };
  Status keep(const Columns& columns);      // when training begins
  Result<Columns> columns() const;          // kBadFile, kCorrupt
  Result<std::string> model() const;        // LocalModel::save, of the checkpoint; secret
  Result<protocol::Groups> groups() const;  // of the checkpoint; empty: none were formed
  // The versions that the last plan named that it has accepted, or has been told of as missed, as
  // of the checkpoint; and whether it was the run's last.
  const Versions& named() const { return named_; }
  bool finished() const { return finished_; }
  void note_finished() { finished_ = true; }  // saved with the next checkpoint

  Result<std::unique_ptr<protocol::CodedRows>> rows(const protocol::Agreement& agreement) const;
  // Brings a new client to where the last one was: its checkpoint, the plans after it, and the rows
  // whose checksums are right. Tells how many chunks were torn.
  Result<std::size_t> recall(const protocol::Agreement& agreement, protocol::Client& client);

  // What the client, which has just received it, has accepted of a message: before it is answered.
  Status note(const protocol::Client& client, const protocol::MessagePtr& message);
  Status save(protocol::Client& client);

 private:
  explicit ClientState(std::filesystem::path state) : folder_(std::move(state)) {}
  friend struct ClientStateNotes;  // of tests: what a program that judged too late has written
  // Of a plan that the client has accepted, before it may be answered: on the disk when it returns.
  Status note_plan(const protocol::Step& step);
  Status note_missed(const protocol::Client& client, const protocol::Step& step);
  Status note_seeds(const protocol::Client& client);
  Status note_rows(const protocol::Client& client, const protocol::DataShare& share);
  // A client that is killed loses what came since its checkpoint, and senders that died meanwhile
  // cannot send it again: then it could answer no plan that names it.
  void note_model(const protocol::ModelShare& share);
  Status read_checkpoint();
  Status read_terms(int parties);
  Status look_for_lost_checkpoint();
  Status remove_attempt() const;
  Status open_plans();
  std::filesystem::path plans_file() const;
  Status recall_newest_models(const protocol::Agreement& agreement, protocol::Client& client);
  Status recall_seeds(protocol::Client& client);
  Status recall_rows(const protocol::Agreement& agreement, protocol::Client& client,
                     std::size_t& torn);

  std::filesystem::path folder_;
  std::optional<wire::Terms> terms_;
  std::uint64_t generation_ = 0;
  bool lost_checkpoint_ = false;  // generation_ is of notes whose checkpoint is gone
  Versions named_;
  bool finished_ = false;
  std::uint64_t seeds_noted_ = 0;   // SeedBook::changes that are on the disk
  SecretText client_, models_;      // of the checkpoint, until recalled
  std::vector<std::string> plans_;  // after it, until recalled
  std::optional<store::RecordLog> plan_log_, row_log_;
  std::optional<store::NewestRecords> newest_models_;  // once the agreement is known
  std::vector<std::string> row_notes_;                 // until recalled
};

}  // namespace fedvs::party
