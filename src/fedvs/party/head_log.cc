#include "fedvs/party/head_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace fedvs::party {
namespace {

using Entry = protocol::HeadArchive::Entry;

constexpr std::size_t kDigest = sizeof(Digest);

std::string record_of(const Entry& entry) {
  std::string record(2 * kDigest, '\0');
  std::memcpy(record.data(), entry.header.data(), kDigest);
  std::memcpy(record.data() + kDigest, entry.link.data(), kDigest);
  return record;
}

Result<Entry> entry_of(std::string_view record) {
  if (record.size() != 2 * kDigest) {
    return Error{ErrorCode::kCorrupt, fmt::format("a plan's note of {} bytes", record.size())};
  }
  Entry entry;
  std::memcpy(entry.header.data(), record.data(), kDigest);
  std::memcpy(entry.link.data(), record.data() + kDigest, kDigest);
  return entry;
}

}  // namespace

// All records are of one size, so that the place of each is known.
Result<std::unique_ptr<HeadLog>> HeadLog::open(const std::filesystem::path& path) {
  std::unique_ptr<HeadLog> log(new HeadLog);
  FEDVS_TRY(auto file,
            store::RecordLog::open(path, [&](std::uint64_t, std::string_view record) -> Status {
              FEDVS_TRY(log->newest_, entry_of(record));
              ++log->last_;
              return {};
            }));
  log->log_.emplace(std::move(file));
  if (log->last_ > 0) log->record_ = log->log_->size() / log->last_;
  return log;
}

Status HeadLog::append(const Entry& entry) {
  FEDVS_TRY(const auto at, log_->append(record_of(entry), store::RecordLog::Sync::kYes));
  static_cast<void>(at);
  newest_ = entry;
  record_ = log_->size() / ++last_;
  return {};
}

Result<Entry> HeadLog::read(std::uint64_t index) const {
  if (index < 1 || index > last_) {
    return Error{ErrorCode::kBadFile, fmt::format("there is no plan {} among {}", index, last_)};
  }
  if (index == last_) return newest_;
  FEDVS_TRY(const auto record, log_->read((index - 1) * record_));
  return entry_of(record);
}

}  // namespace fedvs::party
