// The gradients of a run in files, for clients that come back: written before they are sent, kept
// from the oldest on that a client may start from, in segments, so that old ones cost nothing to
// forget:
//   gradients-S.log   those of steps S and after, up to the next file's
#pragma once
#include <deque>
#include <filesystem>

#include "fedvs/protocol/server/gradient_archive.h"
#include "fedvs/store/record_log.h"

namespace fedvs::party {

class GradientLog final : public protocol::GradientArchive {
 public:
  struct Room {
    std::uint64_t segment = 8u << 20;  // bytes, after which a new file is begun
    std::uint64_t all = 1u << 30;      // of which at least one segment is kept
  };
  // Reads what is in the folder. Gradients before a damaged file are of no use: they are set aside
  // with it. kBadFile; kCorrupt where the newest file is damaged.
  static Result<std::unique_ptr<GradientLog>> open(const std::filesystem::path& folder,
                                                   const protocol::Agreement& agreement, Room room);
  static Result<std::unique_ptr<GradientLog>> open(const std::filesystem::path& folder,
                                                   const protocol::Agreement& agreement) {
    return open(folder, agreement, Room{});
  }
  Status append(const protocol::SentGradient& sent) override;
  Result<protocol::SentGradient> read(protocol::StepNumber step) const override;
  protocol::StepNumber oldest() const override { return oldest_; }
  // Files that hold nothing else are removed.
  void forget_before(protocol::StepNumber step) override;
  protocol::StepNumber oldest_that_fits() const override;
  // The server's notes are of step `sent`: a gradient that was written but never noted, and so
  // never sent, is dropped. kCorrupt if some are missing.
  Status cut_to(protocol::StepNumber sent);

 private:
  struct Segment {
    std::filesystem::path path;
    protocol::StepNumber first;
    std::optional<store::RecordLog> log;
    std::vector<std::uint64_t> offsets;  // by step from first on
    protocol::StepNumber end() const { return first + offsets.size(); }
  };
  GradientLog(std::filesystem::path folder, const protocol::Agreement& agreement, Room room)
      : folder_(std::move(folder)), agreement_(agreement), room_(room) {}
  Status read_folder();
  Status begin_segment();
  const Segment& segment_of(protocol::StepNumber step) const;
  protocol::StepNumber end() const { return segments_.empty() ? 0 : segments_.back().end(); }

  std::filesystem::path folder_;
  const protocol::Agreement& agreement_;
  Room room_;
  std::deque<Segment> segments_;
  protocol::StepNumber oldest_ = 0;
};

}  // namespace fedvs::party
