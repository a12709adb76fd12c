// The chain of a run's plans in a file: 64 bytes for each, on the disk before the plan is sent.
// What is in it has perhaps been signed, and is never taken back: whoever starts again goes on
// behind it.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>

#include "fedvs/protocol/heads.h"
#include "fedvs/store/record_log.h"

namespace fedvs::party {

class HeadLog final : public protocol::HeadArchive {
 public:
  static Result<std::unique_ptr<HeadLog>> open(const std::filesystem::path& path);
  Status append(const Entry& entry) override;
  Result<Entry> read(std::uint64_t index) const override;
  std::uint64_t last() const override { return last_; }

 private:
  HeadLog() = default;
  std::optional<store::RecordLog> log_;
  std::uint64_t last_ = 0;
  Entry newest_;              // read for every plan
  std::uint64_t record_ = 0;  // bytes that a record takes in the file
};

}  // namespace fedvs::party
