#include "fedvs/party/group_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "fedvs/base/digest.h"
#include "fedvs/party/saved_file.h"
#include "fedvs/protocol/groups.h"
#include "fedvs/v1/server_state.pb.h"

namespace fedvs::party {
namespace {

using protocol::Groups;

bool overlap(const RowMarks& a, const RowMarks& b) {
  auto at = b.begin();
  return std::ranges::any_of(a, [&](std::uint64_t mark) {
    at = std::lower_bound(at, b.end(), mark);
    return at != b.end() && *at == mark;
  });
}

std::size_t members(const Groups& groups) {
  std::size_t count = 0;
  for (const auto& group : groups) count += group.size();
  return count;
}

}  // namespace

RowMarks row_marks(std::span<const std::uint8_t> key, const std::vector<std::string>& ids) {
  RowMarks marks;
  marks.reserve(ids.size());
  for (const auto& id : ids) {
    const Digest digest = Hasher().add("fedvs row mark 1").add(key).add(id).finish();
    std::memcpy(&marks.emplace_back(), digest.data(), sizeof(std::uint64_t));
  }
  std::ranges::sort(marks);
  return marks;
}

Result<GroupMemory> GroupMemory::open(std::filesystem::path file, RowMarks rows) {
  GroupMemory memory(std::move(file), std::move(rows));
  if (std::filesystem::exists(memory.file_)) FEDVS_TRY_STATUS(memory.read());
  return memory;
}

Status GroupMemory::read() {
  v1::SavedGroupMemory from;
  FEDVS_TRY(const auto blobs, read_saved(file_, from));
  for (const auto& saved : from.records()) {
    int clients = 0;
    for (const auto& group : saved.groups().groups()) clients += group.members_size();
    Record& record = records_.emplace_back();
    FEDVS_TRY(record.groups, protocol::restored(saved.groups(), clients));
    FEDVS_TRY(record.rows, protocol::numbers_of<std::uint64_t>(file_.string(), saved.rows()));
  }
  return {};
}

Status GroupMemory::write() const {
  v1::SavedGroupMemory to;
  for (const auto& record : records_) {
    auto& saved = *to.add_records();
    protocol::save(record.groups, *saved.mutable_groups());
    saved.set_rows(std::string(protocol::bytes_of(record.rows)));
  }
  return write_saved(file_, to);
}

Result<Groups> GroupMemory::binding(int parties) const {
  Groups bound;
  for (const auto& record : records_) {
    if (members(record.groups) != static_cast<std::size_t>(parties)) continue;
    if (!overlap(rows_, record.rows)) continue;
    if (bound.empty()) bound = record.groups;
    if (protocol::same_partition(bound, record.groups)) continue;
    return Error{ErrorCode::kRefused,
                 fmt::format("these rows were trained on in runs with different groups of clients "
                             "({}): to train on them together would single clients out; leave out "
                             "the rows of one of the runs",
                             file_.string())};
  }
  return bound;
}

Status GroupMemory::keep(const Groups& groups) {
  auto known = std::ranges::find_if(records_, [&](const Record& record) {
    return protocol::same_partition(record.groups, groups);
  });
  if (known == records_.end()) {
    records_.push_back({groups, rows_});
    return write();
  }
  RowMarks all;
  std::ranges::set_union(known->rows, rows_, std::back_inserter(all));
  if (all.size() == known->rows.size()) return {};
  known->rows = std::move(all);
  return write();
}

}  // namespace fedvs::party
