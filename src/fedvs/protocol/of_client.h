// The entry of one client in a list that has one per client, as messages carry them.
#pragma once
#include <cstddef>

namespace fedvs::protocol {

// Needs 0 <= client < list.size().
template <class List>
decltype(auto) of_client(List& list, int client) {
  return list[static_cast<std::size_t>(client)];
}

}  // namespace fedvs::protocol
