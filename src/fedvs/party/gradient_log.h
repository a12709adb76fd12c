// The gradients of a run in a file, for clients that come back: written before they are sent, kept
// from the oldest on that a client may start from.
#pragma once
#include <deque>
#include <filesystem>

#include "fedvs/protocol/gradient_archive.h"
#include "fedvs/store/record_log.h"

namespace fedvs::party {

class GradientLog final : public protocol::GradientArchive {
 public:
  // Reads what is there. kBadFile, kCorrupt for a file of something else.
  static Result<std::unique_ptr<GradientLog>> open(const std::filesystem::path& path,
                                                   const protocol::Agreement& agreement);
  Status append(const protocol::SentGradient& sent) override;
  Result<protocol::SentGradient> read(protocol::StepNumber step) const override;
  protocol::StepNumber oldest() const override { return oldest_; }
  // The file is written anew, without the old ones, when they are most of it.
  void forget_before(protocol::StepNumber step) override;
  // The server's notes are of step `sent`: a gradient that was written but never noted, and so
  // never sent, is dropped. kCorrupt if some are missing.
  Status cut_to(protocol::StepNumber sent);

 private:
  GradientLog(std::filesystem::path path, const protocol::Agreement& agreement)
      : path_(std::move(path)), agreement_(agreement) {}
  Status index(std::uint64_t offset, std::string_view record);
  Status rewrite();
  protocol::StepNumber end() const { return oldest_ + offsets_.size(); }

  std::filesystem::path path_;
  const protocol::Agreement& agreement_;
  std::optional<store::RecordLog> log_;
  std::deque<std::uint64_t> offsets_;  // by step from oldest_ on
  protocol::StepNumber oldest_ = 0;
};

}  // namespace fedvs::party
