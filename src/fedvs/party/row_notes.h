// Which chunks of others' rows have come, of which sharing, and their checksums: state/rows.index.
// The chunks themselves are in mapped files beside it. Of two notes of one chunk the later counts;
// where most of them are of no use any more, the file is written anew.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/protocol/client/client.h"
#include "fedvs/store/record_log.h"

namespace fedvs::party {

class RowNotes {
 public:
  static Result<RowNotes> open(const std::filesystem::path& file);  // a damaged one is set aside
  Status add(const protocol::Client& client, const protocol::DataShare& share);
  // The rows whose checksums are right; tells how many chunks were torn. kCorrupt.
  Result<std::size_t> recall(const protocol::Agreement& agreement, protocol::Client& client);

 private:
  explicit RowNotes(std::filesystem::path file) : file_(std::move(file)) {}
  Status read();
  std::filesystem::path file_;
  std::optional<store::RecordLog> log_;
  std::vector<std::string> found_;  // until recalled
};

}  // namespace fedvs::party
