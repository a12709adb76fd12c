#include "fedvs/protocol/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace fedvs::protocol {
namespace {

Groups in_order(Groups groups) {
  for (auto& group : groups) std::ranges::sort(group);
  std::ranges::sort(groups);
  return groups;
}

}  // namespace

Status check_partition(const Agreement& agreement, const Groups& groups) {
  std::set<int> members;
  std::size_t total = 0;
  for (const auto& group : groups) {
    if (groups.size() > 1 && static_cast<int>(group.size()) < agreement.smallest_group()) {
      return Error{ErrorCode::kRefused,
                   fmt::format("a group of {} clients is smaller than T + 2 = {}", group.size(),
                               agreement.smallest_group())};
    }
    members.insert(group.begin(), group.end());
    total += group.size();
  }
  const auto parties = static_cast<std::size_t>(agreement.shape.parties);
  if (members.size() != parties || total != parties || *members.begin() != 0 ||
      *members.rbegin() != agreement.shape.parties - 1) {
    return Error{ErrorCode::kRefused,
                 fmt::format("groups do not hold each of the {} clients once", parties)};
  }
  return {};
}

bool same_partition(Groups a, Groups b) { return in_order(std::move(a)) == in_order(std::move(b)); }

Groups binding_groups(const Agreement& agreement, const std::vector<Groups>& said,
                      const Groups& own) {
  std::map<Groups, int> bound;  // how many clients
  for (const auto& groups : said) {
    if (check_partition(agreement, groups)) ++bound[in_order(groups)];
  }
  const auto most =
      std::ranges::max_element(bound, {}, [](const auto& entry) { return entry.second; });
  if (most != bound.end() && most->second > agreement.shape.colluding) return most->first;
  return check_partition(agreement, own) ? own : Groups{};
}

}  // namespace fedvs::protocol
