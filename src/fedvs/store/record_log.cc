#include "fedvs/store/record_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fedvs/base/digest.h"

namespace fedvs::store {
namespace {

struct Head {
  std::uint32_t length, check;
};
constexpr std::uint32_t kLongest = 1u << 30;

std::uint32_t check_of(std::string_view record) {
  const Digest digest = Hasher().add(record).finish();
  std::uint32_t check;
  std::memcpy(&check, digest.data(), sizeof check);
  return check;
}

// All of them, or false: at the end of the file, or where it cannot be read.
bool read_all(int file, std::uint64_t offset, char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::pread(file, to, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int file, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return true;
}

}  // namespace

Result<RecordLog> RecordLog::open(const std::filesystem::path& path, const Visit& visit) {
  auto file = std::make_unique<Descriptor>(path, O_RDWR | O_CREAT, 0600);
  if (!file->ok()) return file_error("open", path, errno);
  RecordLog log(path, std::move(file));
  FEDVS_TRY_STATUS(log.scan(visit));
  return log;
}

Status RecordLog::scan(const Visit& visit) {
  const off_t size = ::lseek(file_->get(), 0, SEEK_END);
  if (size < 0) return file_error("read", path_, errno);
  end_ = static_cast<std::uint64_t>(size);
  std::uint64_t at = 0;
  while (at < end_) {
    const auto record = read(at);
    if (!record || !visit(at, *record)) break;
    at += sizeof(Head) + record->size();
  }
  return at == end_ ? Status{} : cut_at(at);
}

Status RecordLog::cut_at(std::uint64_t offset) {
  if (::ftruncate(file_->get(), static_cast<off_t>(offset)) != 0) {
    return file_error("shorten", path_, errno);
  }
  end_ = offset;
  return {};
}

Result<std::uint64_t> RecordLog::append(std::string_view record, Sync sync) {
  FEDVS_CHECK(record.size() < kLongest, "a record is shorter than a gibibyte");
  const Head head{static_cast<std::uint32_t>(record.size()), check_of(record)};
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  bytes.append(record);
  if (!write_all(file_->get(), end_, bytes) ||
      (sync == Sync::kYes && ::fdatasync(file_->get()) != 0)) {
    const Error error = file_error("write to", path_, errno);
    if (const auto cut = cut_at(end_); !cut) return cut.error();
    return error;
  }
  const std::uint64_t offset = end_;
  end_ += bytes.size();
  return offset;
}

Result<std::string> RecordLog::read(std::uint64_t offset) const {
  const Error torn{ErrorCode::kCorrupt,
                   fmt::format("{} has no whole record at byte {}", path_.string(), offset)};
  Head head;
  if (!read_all(file_->get(), offset, reinterpret_cast<char*>(&head), sizeof head)) return torn;
  if (head.length >= kLongest || offset + sizeof head + head.length > end_) return torn;
  std::string record(head.length, '\0');
  if (!read_all(file_->get(), offset + sizeof head, record.data(), record.size())) return torn;
  if (check_of(record) != head.check) return torn;
  return record;
}

Status RecordLog::clear() { return cut_at(0); }

}  // namespace fedvs::store
