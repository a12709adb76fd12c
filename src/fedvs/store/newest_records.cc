#include "fedvs/store/newest_records.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "fedvs/base/check.h"
#include "fedvs/base/digest.h"

namespace fedvs::store {
namespace {

struct Head {
  std::uint64_t number;
  std::uint32_t length, check;
};

Head head_of(std::span<const std::uint8_t> slot) {
  Head head;
  std::memcpy(&head, slot.data(), sizeof head);
  return head;
}

std::uint32_t check_of(std::uint64_t number, std::string_view record) {
  const Digest digest = Hasher().add_u64(number).add(record).finish();
  std::uint32_t check;
  std::memcpy(&check, digest.data(), sizeof check);
  return check;
}

}  // namespace

Result<NewestRecords> NewestRecords::open(const std::filesystem::path& path, std::size_t keys,
                                          std::size_t largest) {
  const std::size_t slot = sizeof(Head) + (largest + 15) / 16 * 16;
  FEDVS_TRY(auto file, MappedMemory::open_or_create(path, keys * kKept * slot));
  NewestRecords opened(std::move(file), keys, slot);
  for (std::size_t key = 0; key < keys; ++key) {
    for (std::uint64_t number = 0; number < kKept; ++number) {
      const auto at = opened.place(key, number);
      if (opened.whole(at)) opened.last_[key] = std::max(opened.last_[key], head_of(at).number);
    }
  }
  return opened;
}

std::span<const std::uint8_t> NewestRecords::place(std::size_t key, std::uint64_t number) const {
  return file_.bytes().subspan(offset(key, number), slot_);
}

bool NewestRecords::holds(std::size_t key, std::string_view record) const {
  for (std::uint64_t i = 0; i < kKept; ++i) {
    const auto at = place(key, i);
    const Head head = head_of(at);
    if (head.number != 0 && head.length == record.size() &&
        std::memcmp(at.data() + sizeof head, record.data(), record.size()) == 0) {
      return true;
    }
  }
  return false;
}

std::optional<std::string_view> NewestRecords::whole(std::span<const std::uint8_t> slot) const {
  const Head head = head_of(slot);
  if (head.number == 0 || head.length > slot_ - sizeof(Head)) return std::nullopt;
  const std::string_view record(reinterpret_cast<const char*>(slot.data()) + sizeof(Head),
                                head.length);
  if (head.check != check_of(head.number, record)) return std::nullopt;
  return record;
}

void NewestRecords::put(std::size_t key, std::string_view record) {
  FEDVS_CHECK(record.size() <= slot_ - sizeof(Head), "a record fits its slot");
  if (holds(key, record)) return;
  const std::uint64_t number = ++last_[key];
  const Head head{number, static_cast<std::uint32_t>(record.size()), check_of(number, record)};
  const auto at = file_.bytes().subspan(offset(key, number), slot_);
  std::memcpy(at.data(), &head, sizeof head);
  std::memcpy(at.data() + sizeof head, record.data(), record.size());
}

std::vector<std::string> NewestRecords::read(std::size_t key) const {
  std::map<std::uint64_t, std::string> records;  // by number
  for (std::uint64_t i = 0; i < kKept; ++i) {
    const auto at = place(key, i);
    if (const auto record = whole(at)) records.emplace(head_of(at).number, *record);
  }
  std::vector<std::string> all;
  for (auto& [number, record] : records) all.push_back(std::move(record));
  return all;
}

}  // namespace fedvs::store
