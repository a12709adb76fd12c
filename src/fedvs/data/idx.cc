#include "fedvs/data/idx.h"

#include <fmt/format.h>

#include "fedvs/data/gzip.h"

namespace fedvs::data {
namespace {

constexpr std::uint32_t kImagesMagic = 0x803;  // unsigned bytes, 3 dimensions
constexpr std::uint32_t kLabelsMagic = 0x801;  // unsigned bytes, 1 dimension
constexpr std::uint32_t kMaxSide = 1 << 14;    // keeps count * side * side within 64 bits

std::uint32_t big_endian(const std::string& bytes, std::size_t word) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<std::uint8_t>(bytes[word * 4 + i]);
  return value;
}

Error bad(const std::string& path, const std::string& problem) {
  return {ErrorCode::kBadFile, path + ": " + problem};
}

Status check_header(const std::string& path, const std::string& bytes, std::uint32_t magic,
                    const char* what) {
  const std::size_t header = 4 * (1 + (magic & 0xff));
  if (bytes.size() < header)
    return bad(path,
               fmt::format("{} bytes are too few for an IDX header of {}; copy the file again",
                           bytes.size(), header));
  if (big_endian(bytes, 0) != magic)
    return bad(path, fmt::format("magic number 0x{:08x} where IDX {} have 0x{:08x}; is this the "
                                 "right file?",
                                 big_endian(bytes, 0), what, magic));
  return {};
}

Status check_length(const std::string& path, std::uint64_t have, std::uint64_t want,
                    const std::string& promised) {
  if (have == want) return {};
  return bad(path, fmt::format("the header promises {} = {} bytes, but {} follow it; the file is "
                               "{}: copy it again",
                               promised, want, have, have < want ? "truncated" : "too long"));
}

}  // namespace

Result<IdxImages> read_idx_images(const std::string& path) {
  constexpr std::size_t kHeader = 16;
  FEDVS_TRY(std::string bytes, read_maybe_gzip(path));
  FEDVS_TRY_STATUS(check_header(path, bytes, kImagesMagic, "images"));
  const std::uint32_t count = big_endian(bytes, 1), height = big_endian(bytes, 2),
                      width = big_endian(bytes, 3);
  if (count == 0 || height == 0 || width == 0 || height > kMaxSide || width > kMaxSide)
    return bad(path, fmt::format("{} images of {} x {} cannot be right; copy the file again", count,
                                 height, width));
  FEDVS_TRY_STATUS(check_length(path, bytes.size() - kHeader, std::uint64_t{count} * height * width,
                                fmt::format("{} images of {} x {}", count, height, width)));
  return IdxImages{count, height, width, std::move(bytes), kHeader};
}

Result<std::vector<std::uint8_t>> read_idx_labels(const std::string& path) {
  constexpr std::size_t kHeader = 8;
  FEDVS_TRY(const std::string bytes, read_maybe_gzip(path));
  FEDVS_TRY_STATUS(check_header(path, bytes, kLabelsMagic, "labels"));
  const std::uint32_t count = big_endian(bytes, 1);
  FEDVS_TRY_STATUS(
      check_length(path, bytes.size() - kHeader, count, fmt::format("{} labels", count)));
  return std::vector<std::uint8_t>(bytes.begin() + kHeader, bytes.end());
}

Result<IdxSet> read_idx_set(const std::string& images, const std::string& labels) {
  FEDVS_TRY(IdxImages pictures, read_idx_images(images));
  FEDVS_TRY(std::vector<std::uint8_t> answers, read_idx_labels(labels));
  if (pictures.count != answers.size())
    return Error{ErrorCode::kBadData,
                 fmt::format("{} has {} images, but {} has {} labels; use two files of one set",
                             images, pictures.count, labels, answers.size())};
  return IdxSet{std::move(pictures), std::move(answers)};
}

}  // namespace fedvs::data
