// The chain of a run's plans in a file: header, link and the step itself, on the disk before the
// plan is sent. What is in it has perhaps been sent, and is not taken back, but for a last plan
// that the server died over before its checkpoint told of it: whoever starts again goes on behind
// it. Of steps the last ones are kept, for clients that missed them; of older ones header and link,
// 80 bytes a plan, for ever (docs/design/durable-state.md).
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/party/saved_notes.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/heads.h"
#include "fedvs/protocol/messages.h"
#include "fedvs/store/record_log.h"

namespace fedvs::party {

class HeadLog final : public protocol::HeadArchive {
 public:
  // Past either of them the older half of the steps is forgotten.
  struct Most {
    std::size_t bytes = std::size_t{64} << 20;
    std::uint64_t steps = 20000;
  };
  // `agreement`, which outlives the log: of the run.
  static Result<std::unique_ptr<HeadLog>> open(const std::filesystem::path& path,
                                               const protocol::Agreement& agreement, Most most);
  Status append(const Entry& entry, const protocol::Step& step) override;
  Result<Entry> read(std::uint64_t index) const override;
  Result<protocol::Step> step(std::uint64_t index) const override;
  std::uint64_t oldest_step() const override { return oldest_step_; }
  std::uint64_t last() const override { return places_.size(); }
  Status forget_after(std::uint64_t index) override;

 private:
  HeadLog(std::filesystem::path path, const protocol::Agreement& agreement, Most most)
      : path_(std::move(path)), agreement_(agreement), most_(most) {}
  Status read_file();
  Status forget_older_steps();
  void note(std::uint64_t place, const HeadNote& head);
  Result<HeadNote> note_of(std::uint64_t index) const;
  const std::filesystem::path path_;
  const protocol::Agreement& agreement_;
  const Most most_;
  std::optional<store::RecordLog> log_;
  std::vector<std::uint64_t> places_;  // of the records in the file
  std::uint64_t oldest_step_ = 1;
  std::size_t kept_ = 0;  // bytes of steps
  Entry newest_;          // read for every plan
};

}  // namespace fedvs::party
