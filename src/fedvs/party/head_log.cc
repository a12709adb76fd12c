#include "fedvs/party/head_log.h"

#include <fmt/format.h>

#include "fedvs/party/saved_notes.h"

namespace fedvs::party {
namespace {

using Entry = protocol::HeadArchive::Entry;

}  // namespace

Result<std::unique_ptr<HeadLog>> HeadLog::open(const std::filesystem::path& path,
                                               const protocol::Agreement& agreement, Most most) {
  std::unique_ptr<HeadLog> log(new HeadLog(path, agreement, most));
  FEDVS_TRY_STATUS(log->read_file());
  return log;
}

Status HeadLog::read_file() {
  places_.clear();
  kept_ = 0;
  Status readable;  // by this release
  const auto visit = [&](std::uint64_t at, std::string_view record) -> Status {
    const auto head = read_head_note(record);
    if (!head && head.error().code != ErrorCode::kBadFile) return head.error();
    if (!head) return readable = head.error(), Status{};
    note(at, *head);
    return {};
  };
  FEDVS_TRY(auto file, store::RecordLog::open(path_, visit));
  FEDVS_TRY_STATUS(readable);
  log_.emplace(std::move(file));
  return {};
}

void HeadLog::note(std::uint64_t place, const HeadNote& head) {
  places_.push_back(place);
  if (head.step.empty()) oldest_step_ = last() + 1;
  kept_ += head.step.size();
  newest_ = head.entry;
}

Status HeadLog::append(const Entry& entry, const protocol::Step& step) {
  const HeadNote head = head_note(entry, step);
  FEDVS_TRY(const auto at, log_->append(bytes_of(head), store::RecordLog::Sync::kYes));
  note(at, head);
  const bool too_many = kept_ > most_.bytes || last() + 1 - oldest_step_ > most_.steps;
  return too_many ? forget_older_steps() : Status{};
}

Status HeadLog::forget_after(std::uint64_t index) {
  if (index >= last()) return {};
  FEDVS_TRY_STATUS(log_->cut_at(places_[index]));
  return read_file();
}

// Into a new file in its place: whichever moment the server dies at, one of the two is whole.
Status HeadLog::forget_older_steps() {
  std::size_t forgotten = 0;
  const auto with_fewer_steps = [&](std::size_t at) -> Result<std::string> {
    FEDVS_TRY(auto head, note_of(at + 1));
    if (forgotten < kept_ / 2) {
      forgotten += head.step.size();
      head.step.clear();
    }
    return bytes_of(head);
  };
  FEDVS_TRY(const auto replaced, store::RecordLog::replace(path_, last(), with_fewer_steps));
  static_cast<void>(replaced);
  return read_file();
}

Result<HeadNote> HeadLog::note_of(std::uint64_t index) const {
  if (index < 1 || index > last()) {
    return Error{ErrorCode::kBadFile, fmt::format("there is no plan {} among {}", index, last())};
  }
  FEDVS_TRY(const auto record, log_->read(places_[index - 1]));
  return read_head_note(record);
}

Result<Entry> HeadLog::read(std::uint64_t index) const {
  if (index >= 1 && index == last()) return newest_;
  FEDVS_TRY(const auto head, note_of(index));
  return head.entry;
}

Result<protocol::Step> HeadLog::step(std::uint64_t index) const {
  FEDVS_TRY(const auto head, note_of(index));
  if (head.step.empty()) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("plans before the {}th are not kept any more", oldest_step_)};
  }
  return step_of(agreement_, head);
}

}  // namespace fedvs::party
