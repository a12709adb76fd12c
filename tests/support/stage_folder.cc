#include "tests/support/stage_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fedvs/protocol/client/data_sharer.h"

namespace fedvs::testing {

using namespace protocol;  // NOLINT: a test's

Status StagedGradients::append(const SentGradient& sent) {
  if (full_from && sent.gradient->plan().round >= *full_from) {
    return Error{ErrorCode::kBadFile, "cannot write to the gradients: no space left"};
  }
  kept_.push_back(sent);
  return {};
}

Result<SentGradient> StagedGradients::read(StepNumber step) const {
  if (step >= oldest_ && step - oldest_ < kept_.size()) return kept_[step - oldest_];
  return Error{ErrorCode::kBadFile, fmt::format("the gradient of step {} is not kept", step)};
}

void StagedGradients::forget_before(StepNumber step) {
  for (; oldest_ < step && !kept_.empty(); ++oldest_) kept_.pop_front();
}

Status StagedHeads::append(const Entry& entry, const Step& step) {
  entries_.push_back(entry);
  steps_.push_back(std::make_shared<const Step>(missed_form(step)));
  const std::uint64_t kept = last() + 1 - oldest_step_;
  if (kept <= most_) return {};
  for (const std::uint64_t end = oldest_step_ + kept / 2; oldest_step_ < end; ++oldest_step_) {
    steps_[oldest_step_ - 1] = nullptr;
  }
  return {};
}

Status StagedHeads::forget_after(std::uint64_t index) {
  entries_.resize(std::min<std::size_t>(entries_.size(), index));
  steps_.resize(entries_.size());
  return {};
}

Result<Step> StagedHeads::step(std::uint64_t index) const {
  if (index >= oldest_step_ && index <= steps_.size()) return *steps_[index - 1];
  return Error{ErrorCode::kBadFile,
               fmt::format("no plan {} among {} to {}", index, oldest_step_, steps_.size())};
}

Result<HeadArchive::Entry> StagedHeads::read(std::uint64_t index) const {
  if (index >= 1 && index <= entries_.size()) return entries_[index - 1];
  return Error{ErrorCode::kBadFile, fmt::format("no plan {} among {}", index, entries_.size())};
}

// A client writes down what it has accepted before it may answer it.
void ClientFolder::note(const Client& client, const MessagePtr& message) {
  seeds = client.seeds().save();
  const auto* step = std::get_if<Step>(message.get());
  if (step != nullptr && step->plan && client.plan() == step->plan) {
    plans.push_back(message);
  }
  const auto* missed = std::get_if<MissedPlan>(message.get());
  if (missed != nullptr && client.heads() && client.heads()->head() == missed->step.head) {
    plans.push_back(make_message(missed->step));
  }
  if (const auto* share = std::get_if<ModelShare>(message.get())) {
    auto& newest = newest_models[share->from];
    newest.push_back(message);
    if (newest.size() > 4) newest.pop_front();
  }
  const auto* share = std::get_if<DataShare>(message.get());
  if (share != nullptr &&
      client.held_sharing(share->from, share->part, share->first_row) == share->sharing) {
    rows[{share->from, share->part, share->first_row}] = message;
  }
}

void ClientFolder::save(Client& client) {
  client.compute_models();
  checkpoint = client.save();
  models = client.held_models();
  plans.clear();
  client.note_saved();
}

std::unique_ptr<CodedRows> ClientFolder::stored_rows(const Agreement& agreement) const {
  auto stored = protocol::stored_rows(agreement).value();
  for (const auto& [where, message] : rows) {
    const auto& share = std::get<DataShare>(*message);
    stored->put(share.part, share.from, share.first_row,
                chunk_rows(agreement, share.part, share.first_row), *share.values);
  }
  return stored;
}

void ClientFolder::recall(Client& client) const {
  if (!seeds.empty()) client.recall_seeds(seeds).value();
  if (!checkpoint.empty()) client.restore(checkpoint).value();
  for (const auto& model : models) client.recall_model(std::get<ModelShare>(*model));
  for (const auto& [sender, newest] : newest_models) {
    for (const auto& model : newest) client.recall_model(std::get<ModelShare>(*model));
  }
  // As in a party's folder, what was noted twice is dropped, and everything else must pass.
  for (const auto& step : plans) {
    const auto recalled = client.recall_plan(std::get<Step>(*step));
    const std::string why = recalled ? "" : recalled.error().message;
    EXPECT_TRUE(recalled || why.find("never goes back") != why.npos) << why;
  }
  for (const auto& [where, message] : rows) {
    const auto& sharing = std::get<DataShare>(*message).sharing;
    std::apply([&](auto... chunk) { client.recall_rows(chunk..., sharing); }, where);
  }
}

// The central model now and then, what it learns in between at once.
void ServerFolder::save(const Server& server, Learner& learner) {
  for (auto& news : learner.take_news()) learned.push_back(std::move(news));
  notes = server.save();
  if (server.rounds() < rounds + 5 || server.evaluating()) return;
  central = learner.central().save();
  rounds = learner.rounds();
  rate_changes = learner.rate_changes();
  learned.clear();
}

void ServerFolder::recall_learned(const Server& server, Learner& learner, double decay) {
  learner.keep_news();
  learner.set_progress(rounds, rate_changes);
  std::erase_if(learned, [&](const std::string& news) {
    return !learner.recall(news, server.rounds(), server.finished_epochs(), decay).value();
  });
  while (learner.rate_changes() < server.finished_epochs()) learner.scale_rate(decay);
}

}  // namespace fedvs::testing
