#include "fedvs/sim/shared_models.h"

#include <algorithm>

#include "fedvs/field/panels.h"

namespace fedvs::sim {

const SharedModels::Models* SharedModels::find_models(
    std::span<const protocol::SharePtr> shares) const {
  const auto same = [](const auto& secret, const protocol::SharePtr& share) {
    return share ? secret != nullptr && share->secret() == secret : secret == nullptr;
  };
  const auto found = std::ranges::find_if(
      named_, [&](const Models& known) { return std::ranges::equal(known.secrets, shares, same); });
  return found == named_.end() ? nullptr : &*found;
}

const SharedModels::Terms* SharedModels::find(std::span<const protocol::SharePtr> shares) const {
  const Models* models = find_models(shares);
  return models == nullptr ? nullptr : &models->pointers;
}

void SharedModels::want_none() {
  for (Models& models : named_) models.wanted = false;
}

void SharedModels::forget_unwanted() {
  for (Models& models : named_) {
    if (!models.wanted) models.secrets.clear();
  }
}

void SharedModels::want(std::span<const protocol::SharePtr> shares) {
  if (auto* known = const_cast<Models*>(find_models(shares))) {
    known->wanted = true;
    return;
  }
  const bool secret = std::ranges::all_of(
      shares, [](const auto& share) { return !share || share->secret() != nullptr; });
  if (!secret) return;
  const auto unused = std::ranges::find(named_, false, &Models::wanted);
  Models& named = unused == named_.end() ? named_.emplace_back() : *unused;
  named.wanted = true;
  assemble(named, shares);
}

// The terms of all senders side by side.
void SharedModels::assemble(Models& named, std::span<const protocol::SharePtr> shares) const {
  const std::size_t cols = field::panel_cols(agreement_.total_padded_inputs());
  for (int i = static_cast<int>(named.terms.size()); i <= agreement_.shape.colluding; ++i) {
    named.terms.emplace_back(agreement_.ring, field::panel_rows(agreement_.width), cols);
  }
  named.secrets.clear();
  named.pointers.clear();
  for (const auto& term : named.terms) named.pointers.push_back(&term);
  std::size_t first = 0;
  for (std::size_t n = 0; n < shares.size(); ++n) {
    named.secrets.push_back(shares[n] ? shares[n]->secret() : nullptr);
    const std::size_t width = field::panel_cols(agreement_.padded_inputs(static_cast<int>(n)));
    for (std::size_t i = 0; i < named.terms.size(); ++i) {
      if (shares[n]) {
        named.terms[i].paste(*named.secrets[n]->terms()[i], 0, first);
      } else {
        named.terms[i].clear_columns(first, width);
      }
    }
    first += width;
  }
}

}  // namespace fedvs::sim
