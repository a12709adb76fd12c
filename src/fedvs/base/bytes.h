// Numbers, strings and vectors as little-endian bytes. Strings and vectors carry a u64 length.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fedvs/base/result.h"

namespace fedvs {

static_assert(std::endian::native == std::endian::little, "bytes are copied as they lie in memory");

template <class T>
concept PlainNumber = (std::is_arithmetic_v<T> || std::is_enum_v<T>)&&!std::is_same_v<T, bool>;

class ByteWriter {
 public:
  template <PlainNumber T>
  void number(T value) {
    append(&value, sizeof value);
  }
  template <PlainNumber T>
  void numbers(std::span<const T> values) {
    number<std::uint64_t>(values.size());
    append(values.data(), values.size_bytes());
  }
  template <PlainNumber T>
  void numbers(const std::vector<T>& values) {
    numbers(std::span<const T>(values));
  }
  void flag(bool value) { number<std::uint8_t>(value ? 1 : 0); }
  void text(std::string_view value);
  void raw(std::string_view value) { bytes_.append(value); }  // no length

  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }  // then growing leaves no copies
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size);
  std::string bytes_;
};

// Reads what ByteWriter wrote. Whatever the bytes, it never reads past them nor allocates more
// than they hold: kCorrupt instead. The bytes must outlive the reader.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <PlainNumber T>
  Result<T> number() {
    FEDVS_TRY(const std::string_view from, raw(sizeof(T)));
    T value;
    std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  template <PlainNumber T>
  Result<std::vector<T>> numbers() {
    FEDVS_TRY(const std::string_view from, counted(sizeof(T)));
    std::vector<T> values(from.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), from.data(), from.size());
    return values;
  }
  Result<bool> flag();  // kCorrupt unless 0 or 1
  Result<std::string> text();
  Result<std::string_view> raw(std::uint64_t size);

  std::size_t left() const { return bytes_.size() - at_; }
  Status finish() const;  // kCorrupt if bytes are left over

 private:
  Result<std::string_view> counted(std::size_t element_size);  // a u64 count, then the elements
  std::string_view bytes_;
  std::size_t at_ = 0;
};

// A counted array that must have exactly as many bytes as `to`: kCorrupt otherwise.
Status read_exactly(ByteReader& in, std::span<std::uint8_t> to);

}  // namespace fedvs
