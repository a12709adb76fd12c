// A file of records that survives whatever moment its writer is killed at: each record carries its
// length and checksum, and a torn end is cut off when the file is opened again. What no torn end
// explains is damage.
//   { u32 length, u32 first bytes of SHA-256(record), record }*
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "fedvs/base/descriptor.h"
#include "fedvs/base/result.h"

namespace fedvs::store {

class RecordLog {
 public:
  // Opens or makes it, and calls visit(offset, record) for every whole record that it holds, up to
  // one that visit finds wrong (an error): that is damage too.
  using Visit = std::function<Status(std::uint64_t offset, std::string_view record)>;
  enum class OnDamage {
    kSetAside,  // a copy is set aside with a warning; what comes before the damage is kept
    kStop       // kCorrupt, and the file untouched
  };
  static Result<RecordLog> open(const std::filesystem::path& path, const Visit& visit,
                                OnDamage on_damage = OnDamage::kSetAside);

  // One that holds record(0) to record(count - 1) and nothing else, in the place of whatever was
  // there: whichever moment the process dies at, the old file or the new one is whole.
  using Record = std::function<Result<std::string>(std::size_t)>;
  static Result<RecordLog> replace(const std::filesystem::path& path, std::size_t count,
                                   const Record& record);

  enum class Sync { kNo, kYes };  // kYes: on the disk before it returns; kNo: survives this process
  Result<std::uint64_t> append(std::string_view record, Sync sync);  // its offset
  Result<std::string> read(std::uint64_t offset) const;  // kCorrupt if there is no whole record
  Status clear();                                        // forgets all records
  Status cut_at(std::uint64_t offset);                   // forgets it and those after it
  std::uint64_t size() const { return end_; }            // bytes

 private:
  RecordLog(std::filesystem::path path, std::unique_ptr<Descriptor> file)
      : path_(std::move(path)), file_(std::move(file)) {}
  Status scan(const Visit& visit, OnDamage on_damage);
  bool torn_at(std::uint64_t offset) const;

  std::filesystem::path path_;
  std::unique_ptr<Descriptor> file_;
  std::uint64_t end_ = 0;
};

}  // namespace fedvs::store
