// A client's model over restarts.
#include "fedvs/protocol/client/saved_model.h"

#include <fmt/format.h>

#include "fedvs/base/secret_text.h"
#include "fedvs/protocol/client/gradient_chain.h"
#include "fedvs/protocol/client/local_model.h"
#include "fedvs/protocol/saved.h"
#include "fedvs/v1/client_state.pb.h"

namespace fedvs::v1 {

void wipe(SavedModel& model) {
  wipe_text(*model.mutable_weights());
  wipe_text(*model.mutable_optimizer()->mutable_first());
  wipe_text(*model.mutable_optimizer()->mutable_second());
  for (auto& version : *model.mutable_rounded()) wipe_text(*version.mutable_integers());
}

}  // namespace fedvs::v1

namespace fedvs::protocol {
namespace {

constexpr std::string_view kModel = "a client's model";

template <PlainNumber T>
void put(std::string& field, const std::vector<T>& numbers) {
  field.assign(bytes_of(numbers));
}

}  // namespace

// ---- the chain of gradients

void GradientChain::save(v1::SavedModel& to) const {
  for (const auto& [step, link] : links_) {
    auto& saved = *to.add_chain();
    saved.set_step(step);
    saved.set_link(link.data(), link.size());
  }
}

Status GradientChain::restore(const v1::SavedModel& from) {
  std::map<StepNumber, Digest> links;
  for (const auto& saved : from.chain()) {
    FEDVS_TRY_STATUS(copy_exactly("a link of gradients", saved.link(), links[saved.step()]));
  }
  if (links.empty()) return corrupt(kModel, "has no chain of gradients");
  links_ = std::move(links);
  return {};
}

// ---- the model

void LocalModel::save(v1::SavedModel& to) const {
  to.set_version(kSavedVersion);
  auto optimizer = optimizer_.state();
  put(*to.mutable_weights(), network_.weights);
  to.mutable_optimizer()->set_rate(optimizer.rate);
  to.mutable_optimizer()->set_steps(optimizer.steps);
  put(*to.mutable_optimizer()->mutable_first(), optimizer.first);
  put(*to.mutable_optimizer()->mutable_second(), optimizer.second);
  chain_.save(to);
  for (const auto& [step, integers] : rounded_) {
    auto& version = *to.add_rounded();
    version.set_step(step);
    put(*version.mutable_integers(), integers);
  }
}

std::string LocalModel::save() const {
  v1::SavedModel to;
  const WipedModel wiped(to);
  save(to);
  return packed(to);
}

Status LocalModel::restore(std::string_view bytes) {
  v1::SavedModel from;
  const WipedModel wiped(from);
  FEDVS_TRY_STATUS(unpack(kModel, bytes, from));
  return restore(from);
}

// All of it, or nothing.
Status LocalModel::restore(const v1::SavedModel& from) {
  FEDVS_TRY_STATUS(check_saved_version(kModel, from.version()));
  FEDVS_TRY(auto weights, numbers_of<float>(kModel, from.weights()));
  if (weights.size() != network_.weights.size()) {
    return Error{
        ErrorCode::kCorrupt,
        fmt::format("the checkpoint has {} weights for client {}, this job {}; resume with "
                    "the run's own job",
                    weights.size(), client_ + 1, network_.weights.size())};
  }
  std::map<StepNumber, std::vector<std::int32_t>> rounded;
  for (const auto& version : from.rounded()) {
    FEDVS_TRY(rounded[version.step()], numbers_of<std::int32_t>(kModel, version.integers()));
    if (rounded[version.step()].size() != weights.size()) {
      return corrupt(kModel,
                     fmt::format("has a version of step {} of another shape", version.step()));
    }
  }
  model::Optimizer::State optimizer{.rate = from.optimizer().rate(),
                                    .steps = from.optimizer().steps(),
                                    .first = {},
                                    .second = {}};
  FEDVS_TRY(optimizer.first, numbers_of<float>(kModel, from.optimizer().first()));
  FEDVS_TRY(optimizer.second, numbers_of<float>(kModel, from.optimizer().second()));
  FEDVS_TRY_STATUS(chain_.restore(from));
  FEDVS_TRY_STATUS(optimizer_.restore(optimizer));
  network_.weights = std::move(weights);
  rounded_ = std::move(rounded);
  return {};
}

}  // namespace fedvs::protocol
