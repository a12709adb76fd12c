// A file as memory: data larger than RAM, which the system pages in and out.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "fedvs/base/result.h"

namespace fedvs {

class MappedMemory {
 public:
  // A new file of `size` zero bytes for its owner's eyes alone; one of that name is replaced. All
  // its blocks are allocated here, so that a full disk is an error now (kBadFile) and no signal
  // later. The file is removed when the object goes, unless kept.
  static Result<MappedMemory> create(std::filesystem::path path, std::size_t size);
  // An existing file of exactly `size` bytes, kBadFile if it has more or fewer; kept.
  static Result<MappedMemory> open(std::filesystem::path path, std::size_t size);

  // The one, or if there is no file of that size, the other; kept.
  static Result<MappedMemory> open_or_create(const std::filesystem::path& path, std::size_t size);

  MappedMemory() = default;
  MappedMemory(MappedMemory&& other) noexcept;
  MappedMemory& operator=(MappedMemory&& other) noexcept;
  ~MappedMemory();

  std::span<std::uint8_t> bytes() { return {bytes_, size_}; }  // page aligned
  std::span<const std::uint8_t> bytes() const { return {bytes_, size_}; }
  std::size_t size() const { return size_; }
  const std::filesystem::path& path() const { return path_; }
  void keep() { kept_ = true; }
  Status sync();  // to the disk; returns when it is there

 private:
  MappedMemory(std::filesystem::path path, std::uint8_t* bytes, std::size_t size, bool kept);
  void release();
  std::filesystem::path path_;
  std::uint8_t* bytes_ = nullptr;
  std::size_t size_ = 0;
  bool kept_ = true;
};

}  // namespace fedvs
