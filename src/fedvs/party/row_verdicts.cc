#include "fedvs/party/row_verdicts.h"

#include <algorithm>

namespace fedvs::party {

void RowVerdicts::begin_life(int client, const protocol::Incarnation& life) {
  said_[static_cast<std::size_t>(client)] = {.life = life, .differ = {}};
}

void RowVerdicts::add(const protocol::RowVerdict& verdict) {
  auto& said = said_[static_cast<std::size_t>(verdict.from)];
  if (said.life == verdict.incarnation) said.differ = verdict.differ;
}

bool RowVerdicts::all_agree() const {
  return most(std::ranges::count_if(
      said_, [](const Said& said) { return said.differ && said.differ->empty(); }));
}

bool RowVerdicts::all_said() const {
  return std::ranges::all_of(said_, [](const Said& said) { return said.differ.has_value(); });
}

std::vector<int> RowVerdicts::differing() const {
  std::vector<int> named;
  for (int n = 0; n < static_cast<int>(said_.size()); ++n) {
    const auto naming = std::ranges::count_if(said_, [&](const Said& said) {
      return said.differ && std::ranges::binary_search(*said.differ, n);
    });
    if (most(naming)) named.push_back(n);
  }
  return named;
}

}  // namespace fedvs::party
