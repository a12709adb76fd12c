// The plans that a client has accepted since its checkpoint, in a file of their own:
//   plans-G.log   since checkpoint G; 0: since it has begun
// Each is on the disk before the client answers it. What was answered must be known: rows opened
// twice, with other models, would tell more. So notes outlive the checkpoint that they follow: if
// there are some of a later one than the folder has, it was deleted, or an older copy put back.
// Bounded by what is accepted between two checkpoints, which come every few seconds.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/party/trained.h"
#include "fedvs/protocol/client/client.h"
#include "fedvs/store/record_log.h"

namespace fedvs::party {

class PlanNotes {
 public:
  // Of the newest generation in the folder, that of its checkpoint or a later one. kBadFile;
  // kCorrupt where the file is damaged.
  static Result<PlanNotes> open(const std::filesystem::path& folder, std::uint64_t checkpoint);
  // There are notes of a later checkpoint than the folder's.
  bool checkpoint_is_lost() const { return generation_ > checkpoint_; }
  std::uint64_t generation() const { return generation_; }

  using Sync = store::RecordLog::Sync;
  Status add(const protocol::Step& step, Sync sync);
  // Checkpoint generation() + 1 is on the disk: what was noted before is in it.
  Status begin_next();
  // All that were found when it was opened. What the client does not accept of its own notes is not
  // believed. `named`: becomes the versions of the last one. kCorrupt.
  Status recall(const protocol::Agreement& agreement, protocol::Client& client, Versions& named);

 private:
  PlanNotes(std::filesystem::path folder, std::uint64_t checkpoint)
      : folder_(std::move(folder)), checkpoint_(checkpoint), generation_(checkpoint) {}
  std::filesystem::path file() const;
  Status find_newest();
  Status open_file();
  std::filesystem::path folder_;
  std::uint64_t checkpoint_, generation_;
  std::optional<store::RecordLog> log_;
  std::vector<std::string> found_;  // until recalled
};

}  // namespace fedvs::party
