#include "fedvs/store/checkpoint.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "fedvs/base/bytes.h"
#include "fedvs/base/digest.h"
#include "fedvs/base/files.h"
#include "fedvs/base/secret_text.h"

namespace fedvs::store {
namespace {

constexpr std::string_view kMagic = "FEDVSCKP";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kDigestSize = sizeof(Digest);

using Parts = std::map<std::string, std::string>;

std::string digest_of(std::string_view bytes) {
  const Digest digest = Hasher().add(bytes).finish();
  return {digest.begin(), digest.end()};
}

Error corrupt(std::string reason) { return {ErrorCode::kCorrupt, std::move(reason)}; }

Result<Parts> decode_parts(ByteReader& reader) {
  FEDVS_TRY(const auto count, reader.number<std::uint32_t>());
  Parts parts;
  for (std::uint32_t i = 0; i < count; ++i) {
    FEDVS_TRY(std::string name, reader.text());
    FEDVS_TRY(std::string bytes, reader.text());
    if (!parts.emplace(std::move(name), std::move(bytes)).second) return corrupt("a part twice");
  }
  FEDVS_TRY_STATUS(reader.finish());
  return parts;
}

Result<Parts> decode(std::string_view file) {
  if (!file.starts_with(kMagic)) return corrupt("does not begin as a checkpoint does");
  if (file.size() < kMagic.size() + sizeof kVersion + kDigestSize) {
    return corrupt(fmt::format("is cut short: {} bytes", file.size()));
  }
  const std::string_view body = file.substr(0, file.size() - kDigestSize);
  ByteReader reader(body.substr(kMagic.size()));
  FEDVS_TRY(const auto version, reader.number<std::uint32_t>());
  if (version != kVersion) {
    return corrupt(
        fmt::format("has format version {}, and this program reads version {}", version, kVersion));
  }
  if (digest_of(body) != file.substr(body.size())) {
    return corrupt("was cut short or altered: its SHA-256 does not match");
  }
  return decode_parts(reader);
}

}  // namespace

Status write_checkpoint(const std::filesystem::path& path, const Parts& parts) {
  std::size_t size = kMagic.size() + sizeof kVersion + sizeof(std::uint32_t) + kDigestSize;
  for (const auto& [name, bytes] : parts) size += name.size() + bytes.size() + 2 * sizeof(size);
  ByteWriter writer;
  writer.reserve(size);
  writer.raw(kMagic);
  writer.number(kVersion);
  writer.number(static_cast<std::uint32_t>(parts.size()));
  for (const auto& [name, bytes] : parts) {
    writer.text(name);
    writer.text(bytes);
  }
  writer.raw(digest_of(writer.bytes()));
  const auto whole = SecretText::take(writer.take());  // some hold shares and models
  return write_atomically(path, whole.view(), Readers::kOwner);
}

Result<Parts> read_checkpoint(const std::filesystem::path& path, std::string_view remedy) {
  FEDVS_TRY(auto bytes, read_file(path));
  const auto file = SecretText::take(std::move(bytes));
  auto parts = decode(file.view());
  if (parts) return parts;
  return corrupt(fmt::format("the checkpoint {} {}; put back a copy of it{}", path.string(),
                             parts.error().message, remedy));
}

}  // namespace fedvs::store
