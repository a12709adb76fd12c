// The server's half of learning: labels, the central model, and predictions gathered over the
// chunks of an evaluation. All that the server computes is done here. What it decides does not
// depend on it, but for uploads that contradict each other, a loss that is no number, and patience
// with validation losses: so a run can be gone through again without numbers, by a learner that
// makes none (sim/learner.h).
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fedvs/model/central.h"
#include "fedvs/model/metrics.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/plan.h"
#include "fedvs/protocol/server/upload_box.h"

namespace fedvs::v1 {
class LearnedNote;
}

namespace fedvs::protocol {

class Learner {
 public:
  Learner(const Agreement& agreement, std::unique_ptr<model::CentralModel> central,
          std::vector<int> labels_train, std::vector<int> labels_validation,
          std::vector<int> labels_test);
  virtual ~Learner() = default;

  // Step 4 of 5, Eq. (6): the sums of the uploads in the box.
  virtual Result<UploadBox::Opened> open(UploadBox& box) { return box.open(); }
  struct Learned {
    double loss;
    // K b x h, zero rows for padding, none longer than the clip.
    std::shared_ptr<const Gradient> gradient;
    std::size_t clipped = 0;  // rows that were
  };
  // Step 4 of 5, Eq. (7), and step 5: sums of the embeddings (K b x h, stacked) to a gradient. The
  // loss is no number where the gradient is none.
  virtual Learned learn(const std::shared_ptr<const Plan>& plan,
                        const std::vector<std::int64_t>& sums);
  // Keeps the predictions of a chunk; metrics() are over the samples predicted since start(). None:
  // nothing is predicted in this run.
  void start(data::Part part);
  virtual void predict(const Plan& plan, const std::vector<std::int64_t>& sums);
  virtual std::optional<model::Metrics> metrics(data::Part part);
  // Class probabilities of the part's samples, rows x classes, of the evaluation just made.
  const std::vector<float>& probabilities() const { return probabilities_; }
  // An evaluation half done, for a checkpoint.
  std::string save_predictions() const;
  Status restore_predictions(std::string_view bytes);  // kCorrupt
  // What has been learned or predicted since this was last taken, one piece per round or chunk.
  // Whoever writes these down can bring an older central model back to here (recall), and need not
  // save the model every round.
  void keep_news() { keeps_news_ = true; }
  std::vector<std::string> take_news() { return std::exchange(news_, {}); }
  // Brings a model that was saved earlier to where it was: learns again what it learned in rounds
  // from `rounds()` on and before `until`; predictions are taken if they are of the part that was
  // started and of evaluation `epoch`. False: of a later round, which never was. kCorrupt.
  Result<bool> recall(std::string_view news, std::uint64_t until, int epoch, double decay);

  void scale_rate(double factor);
  // How much of training the central model has seen: rounds, and changes of the rate.
  std::uint64_t rounds() const { return rounds_; }
  int rate_changes() const { return rate_changes_; }
  void set_progress(std::uint64_t rounds, int rate_changes) {
    rounds_ = rounds;
    rate_changes_ = rate_changes;
  }
  model::CentralModel& central() { return *central_; }
  const model::CentralModel& central() const { return *central_; }

 protected:
  const Agreement& agreement() const { return agreement_; }

 private:
  struct Batch {
    std::vector<float> embeddings;     // of the real samples
    std::vector<std::size_t> at;       // their places in the stacked order
    std::vector<std::size_t> samples;  // and their sample numbers
  };
  std::size_t clip(model::CentralModel::Learned& learned) const;  // rows that were too long
  Batch dequantised(const Plan& plan, const std::vector<std::int64_t>& sums) const;
  std::vector<int> labels_of(const Batch& batch) const;  // of training
  std::vector<float> padded(std::vector<float> gradient, const Batch& batch,
                            std::size_t values) const;
  // What a note says, for news_ and for recall().
  std::string note_learned(const Plan& plan, const Batch& batch) const;
  std::string note_predicted(const Plan& plan, const Batch& batch,
                             const std::vector<float>& predicted) const;
  Status relearn(const v1::LearnedNote& note, double decay);
  Status recall_predictions(const v1::LearnedNote& note);
  void keep_predictions(const std::vector<std::size_t>& samples,
                        const std::vector<float>& predicted);
  const Agreement& agreement_;
  std::unique_ptr<model::CentralModel> central_;
  std::vector<int> labels_[data::kParts];
  std::vector<float> probabilities_;
  std::vector<std::uint8_t> predicted_;   // per sample: 1 if it was
  data::Part part_ = data::Part::kTrain;  // that they are of
  std::uint64_t rounds_ = 0;
  int rate_changes_ = 0;
  bool keeps_news_ = false;
  std::vector<std::string> news_;
};

}  // namespace fedvs::protocol
