// The server: plans every round, opens the sum of all embeddings from any R uploads, trains the
// central model on it and broadcasts the gradient of the average embedding.
//   4 open   Eq. (6), (7)     5 learn
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/protocol/batch_schedule.h"
#include "fedvs/protocol/gradient_archive.h"
#include "fedvs/protocol/holdings_board.h"
#include "fedvs/protocol/learner.h"
#include "fedvs/protocol/mask_ledger.h"
#include "fedvs/protocol/pace.h"
#include "fedvs/protocol/records.h"
#include "fedvs/protocol/upload_box.h"
#include "fedvs/protocol/version_policy.h"
#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

struct ServerSettings {
  std::uint64_t batch_seed = 1;
  double lr_decay = 1;  // of both rates, after every epoch
  int patience = 0;     // evaluations without a better validation loss; 0: never stops early
  // Where clients may come back, the gradients that they missed; null: nobody can. Outlives the
  // server.
  GradientArchive* archive = nullptr;
  // Seconds that a run waits with fewer clients than it needs, for some to come back.
  double wait_for_return = 0;
};

class Server {
 public:
  // All references outlive the server.
  Server(const Agreement& agreement, const coding::LagrangeCode& code, Learner& learner,
         SecretSource& secrets, Observer& observer, ServerSettings settings);

  // Time is in seconds of any clock that the driver likes.
  Tasks receive(double now, const MessagePtr& message);
  Tasks tick(double now);
  // The connection to it is gone: it counts as away until it says hello again. Where a death can be
  // taken back it is declared dead as soon as somebody waits for it, not after dead_after.
  void lost(double now, int client);
  void clock(double now) { now_ = now; }              // before a task of its own is run
  double next_deadline() const { return deadline_; }  // infinity: none

  // After a restart, instead of starting: the state that save() gave before a step was sent. The
  // run goes on when everybody has said hello again, or enough have by the deadline.
  std::string save() const;
  Status restore(double now, const std::string& bytes);             // kCorrupt
  bool take_save_due() { return std::exchange(save_due_, false); }  // before what it sends is sent
  // Finishes the round, then ends with kStopped.
  void stop_after_round() { stop_after_round_ = true; }
  bool awaits_clients() const { return phase_ <= Phase::kReturning; }
  const Plan* last_plan() const { return plan_.get(); }  // that was sent; null before there is one
  bool evaluating() const { return evaluation_.has_value(); }
  bool behind(int client) const { return behind_[static_cast<std::size_t>(client)].has_value(); }
  StepNumber steps_sent() const { return first_link_ + chain_.size() - 1; }  // gradients
  const HoldingsBoard& board() const { return board_; }
  const VersionPolicy& policy() const { return policy_; }

  bool done() const { return phase_ == Phase::kDone; }
  const Status& status() const { return status_; }  // an error ends the run
  std::uint64_t rounds() const { return round_; }   // gradients broadcast
  int finished_epochs() const { return finished_epochs_; }
  double training_ended() const { return training_ended_; }  // when the last epoch's was
  bool training_started() const { return phase_ >= Phase::kReturning; }
  void set_arithmetic(Arithmetic arithmetic) { arithmetic_ = arithmetic; }
  double best_validation_loss() const { return best_validation_loss_; }
  void restore_patience(double best, int waited);
  int evaluations_without_gain() const { return without_gain_; }
  // After which epoch patience ended the run; 0: it has not. A replay, which has no losses to judge
  // by, is told before it starts.
  int patience_ended() const { return patience_ended_; }
  void expect_patience_to_end(int epoch) { patience_ended_ = epoch; }
  // Uploads that a replay left empty.
  void refill_uploads(const std::function<MessagePtr(int client)>& make) { box_.refill(make); }
  // The newest gradients, oldest first: some may still be on their way to slow clients.
  static constexpr std::size_t kRecentGradients = 16;
  const std::deque<std::shared_ptr<Gradient>>& recent_gradients() const {
    return recent_gradients_;
  }

 private:
  enum class Phase {
    kGathering,  // everybody says hello
    kPreparing,  // and shares its rows
    kReturning,  // after a restart: says hello again
    kCollecting,
    kMasking,
    kWaiting,
    kOpening,
    kDone
  };
  struct Evaluation {
    data::Part part;
    std::vector<std::vector<std::size_t>> chunks;
    std::size_t next = 0;
    std::vector<std::optional<Version>> versions;  // one vector for all chunks
    std::vector<bool> frozen;                      // as it was when they were named
  };

  Tasks on(double now, const Hello& hello);

  // ---- who comes, comes back, or does not (server_returns.cc)
  Tasks gather(const Hello& hello);
  Tasks regather(const Hello& hello);
  Tasks gather_again(double now, const Hello& hello);
  Tasks welcome_back(double now, const Hello& hello);
  Tasks go_on(double now);
  Tasks go_on_with_plan(double now);
  void save_plans(ByteWriter& out) const;
  Status restore_clients(ByteReader& in);
  Status restore_plans(ByteReader& in);
  Tasks returning_deadline_passed(double now);
  Status check_return(const Hello& hello) const;
  Tasks farewell(int client, Ending ending, std::string reason);
  void meet(const Hello& hello);
  Welcome welcome() const;
  Tasks to_all(MessagePtr message, std::size_t bytes) const;
  Tasks catch_up(double now, int client);
  Tasks ask_to_share(const std::vector<bool>& share);
  Tasks declare_alive(double now, int client);
  void note_saved(int client, StepNumber step);
  std::string names_of_missing() const;
  Tasks below_threshold(double now);

  Tasks on(double now, const Report& report);
  void note_holdings(double now, int client, const Holdings& holdings);
  Tasks after_report(double now, const Report& report);
  Tasks stop();
  Tasks on(double now, const Refusal& refusal);
  Tasks take_upload(double now, const MessagePtr& message);
  template <class Other>
  Tasks on(double, const Other&) {  // not for the server
    return {};
  }

  // ---- what comes next (server_plans.cc)
  Tasks begin(double now);
  void ask_for_shares(double now, bool all_groups);
  Tasks next_training_step(double now);
  Tasks next_after_epoch(double now);
  Tasks start_evaluation(double now, data::Part part);
  Tasks next_chunk(double now);
  Tasks finish_evaluation(double now);
  void note_validation(double loss);
  Tasks issue_training_plan(double now, VersionPolicy::Choice choice);
  Tasks issue(double now, data::Part part, std::vector<std::size_t> rows,
              std::vector<std::optional<Version>> versions, std::vector<bool> frozen);
  Tasks mask_and_send(double now);
  std::optional<std::vector<MaskId>> take_masks(MaskPool pool);
  Task broadcast(std::shared_ptr<const Plan> plan, bool free);
  void archive(const Step& step);

  // ---- opening and learning (server.cc)
  Task open_task();
  Result<UploadBox::Opened> open();
  Tasks after_opening(double now, const UploadBox::Opened& opened);
  void learn(double now, const UploadBox::Opened& opened);
  void note_warmup_share_times(double now, int reporter);
  void note_able(int client, double now);

  // ---- when it takes too long (server_deadlines.cc)
  Tasks soft_deadline_passed(double now);
  Tasks setup_deadline_passed(double now);
  Tasks share_anew(double now);
  std::optional<Tasks> revise_or_bury(double now);
  Tasks wait_longer(double now);
  Tasks wait_for_masks(double now);
  bool masks_stay_away(double now);
  bool waited_too_long(double now);
  double next_death(double now) const;
  double soft_deadline() const;
  void hope(double now);
  Tasks request_reports();
  bool everybody_reported() const;
  void note_silent();
  void form_groups();
  Tasks revise(double now);
  Tasks restart_evaluation(double now, std::vector<std::optional<Version>> versions);
  bool declare_deaths(double now);
  void declare_dead(int client, const std::string& why);
  Tasks fail(ErrorCode code, std::string message);
  std::vector<int> missing_clients() const;

  const Agreement& agreement_;
  Learner& learner_;
  Observer& observer_;
  const ServerSettings settings_;
  const Incarnation incarnation_;
  Arithmetic arithmetic_ = Arithmetic::kReal;

  Phase phase_ = Phase::kGathering;
  Status status_;
  std::vector<std::optional<Incarnation>> hellos_;
  std::vector<bool> here_;  // has said hello to this server
  // Of clients that are behind: the next gradient to send, and how many went out unanswered. They
  // get nothing else until they have all.
  struct Behind {
    StepNumber next = 0;
    int unanswered = 0;
  };
  std::vector<std::optional<Behind>> behind_;
  std::vector<StepNumber> saved_;              // per client: the step that it could start from
  std::vector<std::uint64_t> uploaded_below_;  // per client: see Welcome
  std::deque<Digest> chain_;                   // by step, from first_link_ on
  StepNumber first_link_ = 0;
  bool plan_open_ = false;  // plan_ has been sent and not been opened yet
  bool save_due_ = false, stop_after_round_ = false;
  bool said_stuck_ = false;   // since then
  double hopeful_since_ = 0;  // a round began, or somebody came back
  double below_since_ = -1;
  HoldingsBoard board_;
  VersionPolicy policy_;
  MaskLedger masks_;
  BatchSchedule schedule_;
  UploadBox box_;
  Pace pace_;

  std::uint64_t round_ = 0, revision_ = 0;
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<Plan> unmasked_;  // the next one, waiting for masks
  std::vector<bool> plan_frozen_;   // what clients are told of the versions that the plan names
  double masks_wanted_since_ = 0, masks_span_ = 0;
  bool died_since_plan_ = false;
  std::shared_ptr<const Groups> groups_;
  std::deque<std::shared_ptr<Gradient>> recent_gradients_;
  std::shared_ptr<const Gradient> gradient_;  // not broadcast yet
  double rate_factor_ = 1;                    // goes out with it
  std::vector<bool> shares_asked_;            // in the step being made
  std::optional<Evaluation> evaluation_;
  RoundRecord record_;
  int finished_epochs_ = 0;
  double training_ended_ = 0;  // of the epoch being evaluated
  bool stop_requested_ = false;
  double best_validation_loss_;
  int without_gain_ = 0, patience_ended_ = 0;

  double now_ = 0, deadline_, step_started_ = 0, able_since_ = -1, deadline_span_ = 10;
  bool reports_requested_ = false;
  int setup_reminders_ = 0;
  double asked_at_ = 0;   // for reports, the last time
  double vain_wait_ = 0;  // of this round, for groups that it then left out
  std::vector<bool> reported_;
  std::vector<double> share_lateness_;  // per client, summed over the warm-up rounds
  std::vector<bool> share_noted_;       // of this round
};

}  // namespace fedvs::protocol
