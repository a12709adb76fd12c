// The newest few records of each of some keys, in a mapped file: to put one costs a copy and its
// checksum, and no waiting for the disk. They outlive the process that put them, at whatever moment
// it is killed; of a machine that died, those that are whole.
//   { u64 number, from 1; u32 length; u32 first bytes of SHA-256(number, record); record }
//   kKept times for every key
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fedvs/base/mapped_memory.h"

namespace fedvs::store {

class NewestRecords {
 public:
  static constexpr std::size_t kKept = 4;
  // Opens it, or makes an empty one if there is none for that many keys and bytes. kBadFile.
  static Result<NewestRecords> open(const std::filesystem::path& path, std::size_t keys,
                                    std::size_t largest);

  // At most `largest` bytes; one that is held already is not put twice.
  void put(std::size_t key, std::string_view record);
  std::vector<std::string> read(std::size_t key) const;  // oldest first

 private:
  NewestRecords(MappedMemory file, std::size_t keys, std::size_t slot)
      : file_(std::move(file)), slot_(slot), last_(keys) {}
  std::size_t offset(std::size_t key, std::uint64_t number) const {
    return (key * kKept + number % kKept) * slot_;
  }
  std::span<const std::uint8_t> place(std::size_t key, std::uint64_t number) const;
  bool holds(std::size_t key, std::string_view record) const;
  std::optional<std::string_view> whole(std::span<const std::uint8_t> slot) const;

  MappedMemory file_;
  std::size_t slot_;                 // bytes
  std::vector<std::uint64_t> last_;  // per key: the number of its newest record
};

}  // namespace fedvs::store
