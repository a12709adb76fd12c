#include "fedvs/deploy/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <string>
#include <vector>

#include "fedvs/base/descriptor.h"
#include "fedvs/base/wipe.h"

namespace fedvs::deploy {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = 16 * 1024;  // far above any key
constexpr mode_t kOthers = 077;

Error refused(const fs::path& path, std::string_view why) {
  return {ErrorCode::kRefused, fmt::format("the key file {} {}", path.string(), why)};
}

int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file) == 0 ? 0 : errno;
}

Status check_owner_and_mode(const fs::path& path, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return refused(path, "is no plain file: put the key itself there");
  if (status.st_uid != ::geteuid()) {
    return refused(path, fmt::format("belongs to user {}, and this program runs as user {}: run "
                                     "`chown {} {}` if it is yours",
                                     status.st_uid, ::geteuid(), ::geteuid(), path.string()));
  }
  if ((status.st_mode & kOthers) != 0) {
    return refused(path, fmt::format("is open to other users (mode {:04o}): run `chmod 600 {}`, "
                                     "and make new keys if others may have read it",
                                     status.st_mode & 07777, path.string()));
  }
  return {};
}

Result<SecretText> read_all(const fs::path& path, int file) {
  std::vector<char> buffer(kLargest + 1);
  std::size_t size = 0;
  int reason = 0;
  while (size < buffer.size() && reason == 0) {
    const auto got = ::read(file, buffer.data() + size, buffer.size() - size);
    if (got == 0) break;
    if (got > 0) size += static_cast<std::size_t>(got);
    if (got < 0 && errno != EINTR) reason = errno;
  }
  SecretText text(std::string_view(buffer.data(), size));
  wipe(std::span(buffer));
  if (reason != 0) return file_error("read", path, reason);
  if (size > kLargest) return refused(path, "is too large for a key");
  return text;
}

int digit(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto at = kDigits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

Status write_key_file(const fs::path& path, std::string_view secret) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (!file.ok() && errno == EEXIST) {
    return refused(path, "exists already and is never overwritten: choose another folder");
  }
  if (!file.ok()) return file_error("write", path, errno);
  if (const int reason = write_all(file.get(), secret); reason != 0) {
    ::unlink(path.c_str());
    return file_error("write", path, reason);
  }
  return {};
}

Result<SecretText> read_key_file(const fs::path& path) {
  // O_NONBLOCK: a pipe of that name must not hold the program up.
  Descriptor file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!file.ok() && errno == ELOOP) {
    return refused(path, "is a link: put the key itself there");
  }
  if (!file.ok()) return file_error("read", path, errno);
  struct stat status;
  if (::fstat(file.get(), &status) != 0) return file_error("read", path, errno);
  FEDVS_TRY_STATUS(check_owner_and_mode(path, status));
  return read_all(path, file.get());
}

Status write_secret_key(const fs::path& path, const seal::SecretKey& key) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, 2 * seal::kKeyBytes + 1> text;
  for (std::size_t i = 0; i < seal::kKeyBytes; ++i) {
    text[2 * i] = kDigits[key.bytes()[i] >> 4];
    text[2 * i + 1] = kDigits[key.bytes()[i] & 15];
  }
  text.back() = '\n';
  Status written = write_key_file(path, {text.data(), text.size()});
  wipe(std::span(text));
  return written;
}

Result<seal::SecretKey> read_secret_key(const fs::path& path) {
  FEDVS_TRY(const SecretText file, read_key_file(path));
  std::string_view text = file.view();
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::array<std::uint8_t, seal::kKeyBytes> bytes{};
  bool good = text.size() == 2 * bytes.size();
  for (std::size_t i = 0; good && i < bytes.size(); ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    good = high >= 0 && low >= 0;
    bytes[i] = static_cast<std::uint8_t>(16 * high + low);
  }
  auto key = seal::SecretKey::copy_of(bytes);
  wipe(std::span(bytes));
  if (good) return key;
  return Error{ErrorCode::kBadFile,
               fmt::format("the key file {} is damaged: it must hold {} hex digits; take it from a "
                           "backup",
                           path.string(), 2 * seal::kKeyBytes)};
}

}  // namespace fedvs::deploy
