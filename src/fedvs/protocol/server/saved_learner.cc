// What was learned and predicted since the central model was saved, note by note; and all
// predictions at once.
#include <algorithm>

#include "fedvs/protocol/saved.h"
#include "fedvs/protocol/server/learner.h"
#include "fedvs/v1/server_state.pb.h"

namespace fedvs::protocol {
namespace {

constexpr std::string_view kNote = "a note of what was learned";

template <class Field>
void put(Field& to, const std::vector<std::size_t>& samples) {
  to.Reserve(static_cast<int>(samples.size()));
  for (const std::size_t sample : samples) to.AddAlreadyReserved(sample);
}

// Of `width` numbers per sample. kCorrupt unless all samples are among the first `known`.
Status check(const std::vector<std::size_t>& samples, const std::vector<float>& numbers,
             std::size_t width, std::size_t known) {
  const bool fits = numbers.size() == samples.size() * width &&
                    std::ranges::all_of(samples, [&](auto s) { return s < known; });
  return fits ? Status{} : Status(corrupt(kNote, "is of another job"));
}

}  // namespace

std::string Learner::note_learned(const Plan& plan, const Batch& batch) const {
  v1::LearnedNote note;
  auto& learned = *note.mutable_learned();
  learned.set_round(plan.round);
  learned.set_rate_changes(rate_changes_);
  put(*learned.mutable_samples(), batch.samples);
  learned.mutable_embeddings()->assign(bytes_of(batch.embeddings));
  return packed(note);
}

std::string Learner::note_predicted(const Plan& plan, const Batch& batch,
                                    const std::vector<float>& predicted) const {
  v1::LearnedNote note;
  auto& to = *note.mutable_predicted();
  to.set_epoch(plan.epoch);
  to.set_part(static_cast<std::uint32_t>(plan.part));
  put(*to.mutable_samples(), batch.samples);
  to.mutable_probabilities()->assign(bytes_of(predicted));
  return packed(note);
}

Result<bool> Learner::recall(std::string_view news, std::uint64_t until, int epoch, double decay) {
  v1::LearnedNote note;
  FEDVS_TRY_STATUS(unpack(kNote, news, note));
  if (note.has_learned()) {
    const std::uint64_t round = note.learned().round();
    if (round >= until) return false;
    if (round < rounds_) return true;  // it has seen that
    FEDVS_TRY_STATUS(relearn(note, decay));
    rounds_ = round + 1;
    return true;
  }
  if (!note.has_predicted()) return corrupt(kNote, "says nothing");
  const bool asked_for = note.predicted().epoch() == epoch &&
                         note.predicted().part() == static_cast<std::uint32_t>(part_);
  if (asked_for) FEDVS_TRY_STATUS(recall_predictions(note));
  return true;
}

Status Learner::relearn(const v1::LearnedNote& note, double decay) {
  const auto& learned = note.learned();
  Batch batch;
  batch.samples.assign(learned.samples().begin(), learned.samples().end());
  FEDVS_TRY(batch.embeddings, numbers_of<float>(kNote, learned.embeddings()));
  const auto known = labels_[static_cast<int>(data::Part::kTrain)].size();
  FEDVS_TRY_STATUS(check(batch.samples, batch.embeddings, agreement_.width, known));
  if (learned.rate_changes() > agreement_.epochs) return corrupt(kNote, "is of another job");
  while (rate_changes_ < learned.rate_changes()) scale_rate(decay);
  central_->learn(batch.embeddings, labels_of(batch));
  return {};
}

Status Learner::recall_predictions(const v1::LearnedNote& note) {
  const auto& samples = note.predicted().samples();
  const std::vector<std::size_t> of(samples.begin(), samples.end());
  FEDVS_TRY(const auto predicted, numbers_of<float>(kNote, note.predicted().probabilities()));
  const auto classes = static_cast<std::size_t>(agreement_.classes);
  FEDVS_TRY_STATUS(check(of, predicted, classes, predicted_.size()));
  keep_predictions(of, predicted);
  return {};
}

std::string Learner::save_predictions() const {
  v1::SavedPredictions to;
  to.mutable_predicted()->assign(bytes_of(predicted_));
  to.mutable_probabilities()->assign(bytes_of(probabilities_));
  return packed(to);
}

Status Learner::restore_predictions(std::string_view bytes) {
  constexpr std::string_view kPredictions = "the checkpoint's predictions";
  v1::SavedPredictions from;
  FEDVS_TRY_STATUS(unpack(kPredictions, bytes, from));
  FEDVS_TRY(auto predicted, numbers_of<std::uint8_t>(kPredictions, from.predicted()));
  FEDVS_TRY(auto probabilities, numbers_of<float>(kPredictions, from.probabilities()));
  if (predicted.size() != predicted_.size() || probabilities.size() != probabilities_.size()) {
    return corrupt(kPredictions, "are of other rows");
  }
  predicted_ = std::move(predicted);
  probabilities_ = std::move(probabilities);
  return {};
}

}  // namespace fedvs::protocol
