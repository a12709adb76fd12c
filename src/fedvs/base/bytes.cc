#include "fedvs/base/bytes.h"

#include <fmt/format.h>

namespace fedvs {

void ByteWriter::append(const void* data, std::size_t size) {
  if (size > 0) bytes_.append(static_cast<const char*>(data), size);
}

void ByteWriter::text(std::string_view value) {
  number<std::uint64_t>(value.size());
  raw(value);
}

Result<std::string_view> ByteReader::raw(std::uint64_t size) {
  if (size > left()) {
    return Error{
        ErrorCode::kCorrupt,
        fmt::format("bytes end too early: {} needed at offset {}, {} left", size, at_, left())};
  }
  const std::string_view found = bytes_.substr(at_, size);
  at_ += size;
  return found;
}

Result<std::string_view> ByteReader::counted(std::size_t element_size) {
  FEDVS_TRY(const auto count, number<std::uint64_t>());
  if (count > left() / element_size) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("bytes end too early: {} elements of {} bytes at offset {}, {} left",
                             count, element_size, at_, left())};
  }
  return raw(count * element_size);
}

Result<bool> ByteReader::flag() {
  FEDVS_TRY(const auto value, number<std::uint8_t>());
  if (value > 1) {
    return Error{ErrorCode::kCorrupt, fmt::format("a flag is 0 or 1, not {}", value)};
  }
  return value == 1;
}

Result<std::string> ByteReader::text() {
  FEDVS_TRY(const std::string_view found, counted(1));
  return std::string(found);
}

Status ByteReader::finish() const {
  if (left() == 0) return {};
  return Error{ErrorCode::kCorrupt, fmt::format("{} bytes too many at the end", left())};
}

Status read_exactly(ByteReader& in, std::span<std::uint8_t> to) {
  FEDVS_TRY(const auto from, in.numbers<std::uint8_t>());
  if (from.size() != to.size()) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("{} bytes where {} should be", from.size(), to.size())};
  }
  std::ranges::copy(from, to.begin());
  return {};
}

}  // namespace fedvs
