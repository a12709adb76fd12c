#include "fedvs/store/record_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fedvs/base/digest.h"
#include "fedvs/store/set_aside.h"

namespace fedvs::store {
namespace {

struct Head {
  std::uint32_t length, check;
};
constexpr std::uint32_t kLongest = 1u << 30;
constexpr std::uint64_t kMostZeros = 1u << 16;  // that a power cut leaves after the end

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

Result<RecordLog> RecordLog::open(const std::filesystem::path& path, const Visit& visit,
                                  OnDamage on_damage) {
  auto file = std::make_unique<Descriptor>(path, O_RDWR | O_CREAT, 0600);
  if (!file->ok()) return file_error("open", path, errno);
  RecordLog log(path, std::move(file));
  FEDVS_TRY_STATUS(log.scan(visit, on_damage));
  return log;
}

Result<RecordLog> RecordLog::replace(const std::filesystem::path& path, std::size_t count,
                                     const Record& record) {
  const auto fresh = std::filesystem::path(path.string() + ".new");
  std::error_code failed;
  std::filesystem::remove(fresh, failed);
  FEDVS_TRY(auto log, open(fresh, [](std::uint64_t, std::string_view) { return Status{}; }));
  for (std::size_t i = 0; i < count; ++i) {
    FEDVS_TRY(const auto bytes, record(i));
    FEDVS_TRY(const auto at, log.append(bytes, i + 1 == count ? Sync::kYes : Sync::kNo));
    static_cast<void>(at);
  }
  std::filesystem::rename(fresh, path, failed);
  if (failed) return file_error("replace", path, failed.value());
  log.path_ = path;
  return log;
}

Status RecordLog::scan(const Visit& visit, OnDamage on_damage) {
  const off_t size = ::lseek(file_->get(), 0, SEEK_END);
  if (size < 0) return file_error("read", path_, errno);
  end_ = static_cast<std::uint64_t>(size);
  std::uint64_t at = 0;
  std::string wrong;
  while (at < end_ && wrong.empty()) {
    const auto record = read(at);
    if (!record) break;
    if (const auto good = visit(at, *record); !good) {
      wrong = good.error().message;
    } else {
      at += sizeof(Head) + record->size();
    }
  }
  if (at == end_) return {};
  if (!wrong.empty() || !torn_at(at)) {
    const auto what =
        fmt::format("byte {} of {}: {}", at, end_,
                    wrong.empty() ? "neither a record nor the beginning of one" : wrong);
    if (on_damage == OnDamage::kStop) {
      return Error{ErrorCode::kCorrupt, fmt::format("{} is damaged: {}", path_.string(), what)};
    }
    FEDVS_TRY_STATUS(copy_aside(path_, what));
  }
  return cut_at(at);
}

// A writer that was killed leaves the beginning of a record, a power cut perhaps zeros in its
// place; nothing comes after it.
bool RecordLog::torn_at(std::uint64_t offset) const {
  const std::uint64_t left = end_ - offset;
  Head head;
  if (left <= sizeof head) return true;
  if (!read_all(file_->get(), offset, reinterpret_cast<char*>(&head), sizeof head)) return false;
  if (head.length > 0 && head.length < kLongest && sizeof head + head.length >= left) return true;
  if (left > kMostZeros) return false;
  std::string rest(left, '\1');
  return read_all(file_->get(), offset, rest.data(), left) &&
         std::ranges::all_of(rest, [](char c) { return c == 0; });
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
