#include "fedvs/party/row_notes.h"

#include <map>
#include <tuple>
#include <utility>

#include "fedvs/party/saved_notes.h"
#include "fedvs/protocol/chunks.h"

namespace fedvs::party {

using Sync = store::RecordLog::Sync;

Result<RowNotes> RowNotes::open(const std::filesystem::path& file) {
  RowNotes notes(file);
  FEDVS_TRY_STATUS(notes.read());
  return notes;
}

Status RowNotes::read() {
  FEDVS_TRY(auto log, store::RecordLog::open(file_, [&](std::uint64_t, std::string_view record) {
              found_.emplace_back(record);
              return Status{};
            }));
  log_.emplace(std::move(log));
  return {};
}

Status RowNotes::add(const protocol::Client& client, const protocol::DataShare& share) {
  const std::size_t rows = chunk_rows(client.agreement(), share.part, share.first_row);
  const ChunkNote note{
      .sender = share.from,
      .part = share.part,
      .first = share.first_row,
      .digest = client.rows().chunk_digest(share.part, share.from, share.first_row, rows),
      .sharing = share.sharing};
  FEDVS_TRY(const auto written, log_->append(chunk_note(note), Sync::kNo));
  static_cast<void>(written);
  return {};
}

Result<std::size_t> RowNotes::recall(const protocol::Agreement& agreement,
                                     protocol::Client& client) {
  std::map<std::tuple<int, data::Part, std::uint64_t>, ChunkNote> newest;
  const auto found = std::exchange(found_, {});
  for (const auto& record : found) {
    FEDVS_TRY(const auto note, read_chunk_note(agreement, record));
    client.recall_sharing(note.sender, note.sharing);
    newest[{note.sender, note.part, note.first}] = note;
  }
  std::size_t torn = 0;
  for (const auto& [chunk, note] : newest) {
    const std::size_t rows = chunk_rows(agreement, note.part, note.first);
    if (client.rows().chunk_digest(note.part, note.sender, note.first, rows) == note.digest) {
      client.recall_rows(note.sender, note.part, note.first, note.sharing);
    } else {
      ++torn;
    }
  }
  if (found.size() <= 2 * newest.size()) return torn;
  auto next = newest.begin();
  FEDVS_TRY(auto log, store::RecordLog::replace(file_, newest.size(),
                                                [&](std::size_t) -> Result<std::string> {
                                                  return chunk_note((next++)->second);
                                                }));
  log_.emplace(std::move(log));
  return torn;
}

}  // namespace fedvs::party
