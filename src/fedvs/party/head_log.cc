#include "fedvs/party/head_log.h"

#include <fmt/format.h>

#include <cstring>

#include "fedvs/base/descriptor.h"
#include "fedvs/net/wire/codec.h"

namespace fedvs::party {
namespace {

using Entry = protocol::HeadArchive::Entry;

constexpr std::size_t kDigest = sizeof(Digest), kHead = 2 * kDigest;

std::string record_of(const Entry& entry, const protocol::Step& step) {
  std::string record(kHead, '\0');
  std::memcpy(record.data(), entry.content.data(), kDigest);
  std::memcpy(record.data() + kDigest, entry.link.data(), kDigest);
  return record + wire::encode(protocol::missed_form(step));
}

Result<Entry> entry_of(std::string_view record) {
  if (record.size() < kHead) {
    return Error{ErrorCode::kCorrupt, fmt::format("a plan's note of {} bytes", record.size())};
  }
  Entry entry;
  std::memcpy(entry.content.data(), record.data(), kDigest);
  std::memcpy(entry.link.data(), record.data() + kDigest, kDigest);
  return entry;
}

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
  FEDVS_TRY(auto file,
            store::RecordLog::open(path_, [&](std::uint64_t at, std::string_view record) -> Status {
              FEDVS_TRY(newest_, entry_of(record));
              note(at, record.size());
              return {};
            }));
  log_.emplace(std::move(file));
  return {};
}

void HeadLog::note(std::uint64_t place, std::size_t size) {
  places_.push_back(place);
  if (size == kHead) oldest_step_ = last() + 1;
  kept_ += size - kHead;
}

Status HeadLog::append(const Entry& entry, const protocol::Step& step) {
  const std::string record = record_of(entry, step);
  FEDVS_TRY(const auto at, log_->append(record, store::RecordLog::Sync::kYes));
  note(at, record.size());
  newest_ = entry;
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
  const auto fresh = std::filesystem::path(path_.string() + ".new");
  std::error_code failed;
  std::filesystem::remove(fresh, failed);
  FEDVS_TRY(auto file, store::RecordLog::open(
                           fresh, [](std::uint64_t, std::string_view) { return Status{}; }));
  std::size_t forgotten = 0;
  for (std::uint64_t index = 1; index <= last(); ++index) {
    FEDVS_TRY(auto bytes, record(index));
    if (forgotten < kept_ / 2) {
      forgotten += bytes.size() - kHead;
      bytes.resize(kHead);
    }
    using Sync = store::RecordLog::Sync;
    FEDVS_TRY(const auto at, file.append(bytes, index == last() ? Sync::kYes : Sync::kNo));
    static_cast<void>(at);
  }
  std::filesystem::rename(fresh, path_, failed);
  if (failed) return file_error("replace", path_, failed.value());
  return read_file();
}

Result<std::string> HeadLog::record(std::uint64_t index) const {
  if (index < 1 || index > last()) {
    return Error{ErrorCode::kBadFile, fmt::format("there is no plan {} among {}", index, last())};
  }
  return log_->read(places_[index - 1]);
}

Result<Entry> HeadLog::read(std::uint64_t index) const {
  if (index >= 1 && index == last()) return newest_;
  FEDVS_TRY(const auto bytes, record(index));
  return entry_of(bytes);
}

Result<protocol::Step> HeadLog::step(std::uint64_t index) const {
  FEDVS_TRY(const auto bytes, record(index));
  if (index < oldest_step_) {
    return Error{ErrorCode::kBadFile,
                 fmt::format("plans before the {}th are not kept any more", oldest_step_)};
  }
  FEDVS_TRY(const auto message, wire::decode(agreement_, std::string_view(bytes).substr(kHead)));
  const auto* step = std::get_if<protocol::Step>(message.get());
  if (step == nullptr || !step->plan) return Error{ErrorCode::kCorrupt, "a note that is no plan"};
  return *step;
}

}  // namespace fedvs::party
