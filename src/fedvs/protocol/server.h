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
#include "fedvs/protocol/conduct.h"
#include "fedvs/protocol/gradient_archive.h"
#include "fedvs/protocol/holdings_board.h"
#include "fedvs/protocol/learner.h"
#include "fedvs/protocol/pace.h"
#include "fedvs/protocol/plan_content.h"
#include "fedvs/protocol/records.h"
#include "fedvs/protocol/sharing_progress.h"
#include "fedvs/protocol/turnstile.h"
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
  int max_catch_up = 10000;  // rounds: gradients that are kept for clients that are away
  // Seconds that a run waits with fewer clients than it needs, for some to come back.
  double wait_for_return = 0;
  // Of an earlier run over the same rows, where clients do not say which; empty: none.
  Groups groups = {};
  // Where plans are signed: what names this run and no other, the chain so far, the key. Null: they
  // are not. Outlives the server.
  Digest run = {};
  HeadArchive* heads = nullptr;
  SignHead sign = {};
  VerifyHead verify = {};
};

inline constexpr const char* kWrongUpload =
    "its upload was wrong, by its own doing or by a share that another client sent it";

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
  void clock(double now) { now_ = now; }  // before a task of its own is run
  double next_deadline() const;           // infinity: none

  // After a restart, instead of starting: the state that save() gave before a step was sent. The
  // run goes on when everybody has said hello again, or enough have by the deadline.
  std::string save() const;
  Status restore(double now, const std::string& bytes);             // kCorrupt
  bool take_save_due() { return std::exchange(save_due_, false); }  // before what it sends is sent
  // Finishes the round, then ends with kStopped.
  void stop_after_round() { stop_after_round_ = true; }
  bool awaits_clients() const { return phase_ <= Phase::kReturning; }
  const Plan* last_plan() const { return plan_.get(); }  // that was sent; null before there is one
  // Before training: how far the rows are. Whoever carries them says that they flow.
  const SharingProgress& sharing() const { return sharing_; }
  void rows_flow(double now) { sharing_.bytes_flow(now); }
  bool evaluating() const { return evaluation_.has_value(); }
  bool behind(int client) const { return behind_[static_cast<std::size_t>(client)].has_value(); }
  // Gradients and plans that one that is behind had, or was sent since: to tell whether it moves.
  std::uint64_t steps_fetched(int client) const {
    const auto n = static_cast<std::size_t>(client);
    return (behind_[n] ? behind_[n]->next : sent_) + told_head_[n];
  }
  // It has come back, but so often that its hello has to wait.
  bool greeting_waits(int client) const { return returns_.keeps(client); }
  StepNumber steps_sent() const { return sent_; }  // gradients
  // What was decided could not be written down, and must not be later: it was never sent.
  bool may_be_saved() const { return !unwritten_; }
  // Clients could upload for the open plan, and wait for others' word that they were shown the same
  // plans: the least number of heads that agree at one of them; none where nobody waits.
  std::optional<int> heads_waited_with() const;
  bool waits_for_heads(int client) const {
    return agreeing_[static_cast<std::size_t>(client)].has_value();
  }
  const HoldingsBoard& board() const { return board_; }
  const VersionPolicy& policy() const { return policy_; }
  const std::shared_ptr<const Groups>& groups() const { return groups_; }  // null: none yet
  // For people: why this client is not counted on; empty while it is.
  std::string standing(int client) const;
  // Why no client learns from the rounds of now; empty while some do.
  std::string why_nobody_learns() const;
  std::uint64_t idle_rounds() const { return idle_rounds_; }  // in which nobody learned
  int idle_epochs() const { return idle_epochs_; }
  bool stands_by() const { return phase_ == Phase::kStandingBy; }

  bool done() const { return phase_ == Phase::kDone; }
  // Once done: clients that have not said that their last model is saved, without which rows cannot
  // be scored. Whoever comes back gets what it missed.
  std::vector<int> unsaved() const;
  const Status& status() const { return status_; }      // an error ends the run
  std::uint64_t rounds() const { return round_; }       // gradients broadcast
  std::uint64_t openings() const { return openings_; }  // sums, of training and evaluation
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
    kWaiting,
    kOpening,
    kStandingBy,  // until some client can learn from the next round
    kDone
  };
  struct Evaluation {
    data::Part part;
    std::vector<std::vector<std::size_t>> chunks;
    std::size_t next = 0;
    std::vector<std::optional<Version>> versions;  // one vector for all chunks
    std::vector<bool> frozen;                      // as it was when they were named
  };

  Tasks take(double now, const MessagePtr& message);
  Tasks on(double now, const Hello& hello);

  // ---- the chain of plans (server_heads.cc)
  bool sign_plan(Step& step);  // false: it could not be written down, and is not sent
  RunFacts facts() const { return {settings_.run, sharings_, seeds_}; }
  SignedHead signed_head(std::uint64_t index, const Digest& link) const;
  Status check_head(const Hello& hello) const;
  bool is_newer_than_the_folder(const SignedHead& head) const;
  Tasks send_away(const Hello& hello, const Error& why);
  // The first plan that the client has not been told of, up to that one; null: it has been of all.
  // kBadFile: it is not kept any more, or cannot be read.
  Result<MessagePtr> next_missed(int client, std::uint64_t up_to, bool more);
  Status tell_missed(int client, Tasks& tasks);  // some of them
  Status tell_all_before(int client, std::uint64_t index, Effects& effects);
  Error forgotten_plans(int client, std::uint64_t told) const;
  bool misses_forgotten_plans(std::uint64_t told) const;  // who was told of plans up to that one
  bool untold_plans(int client) const;                    // there are more
  void note_agreeing(const Report& report);
  bool below_quorum() const;          // fewer clients answer than have to agree on a plan
  std::string heads_missing() const;  // "; waiting for heads: 3 of 6"; empty where nobody waits

  // ---- who comes, comes back, or does not (server_returns.cc)
  Tasks gather(const Hello& hello);
  Tasks regather(const Hello& hello);
  Tasks gather_again(double now, const Hello& hello);
  void hurry(double now);
  Tasks welcome_back(double now, const Hello& hello);
  Tasks go_on(double now);
  Tasks go_on_with_plan(double now);
  void save_plans(ByteWriter& out) const;
  Status restore_heads(std::uint64_t plans);
  Status restore_clients(ByteReader& in);
  Status restore_plans(ByteReader& in);
  Tasks returning_deadline_passed(double now);
  Status check_return(const Hello& hello) const;
  bool claims_too_much(const Hello& hello) const;
  Tasks note_claim(const Hello& hello);
  Tasks judge_claims();
  bool all_are_heard() const;
  Tasks farewell(int client, Ending ending, std::string reason);
  Tasks send_away(int client, std::string reason);
  void meet(const Hello& hello);
  Welcome welcome() const;
  Tasks to_all(MessagePtr message, std::size_t bytes) const;
  Tasks catch_up(double now, int client);
  Tasks send_missed_gradients(int client);
  std::vector<std::optional<StepNumber>> named_steps() const;

  // ---- when all is over (server_after.cc)
  Tasks receive_late(double now, const Message& message);
  Tasks welcome_late(double now, const Hello& hello);
  void save_ending(ByteWriter& out) const;
  Status restore_ending(ByteReader& in);

  Tasks ask_to_share(const std::vector<bool>& share);
  Tasks declare_alive(double now, int client);
  void note_saved(int client, StepNumber step);
  void forget_old_gradients();
  Tasks leave_behind(int client, const Error& why);
  Error too_far_behind(int client, StepNumber step) const;
  std::string names_of_missing() const;
  Tasks below_threshold(double now);

  Tasks on(double now, const Report& report);
  void note_holdings(double now, int client, const Holdings& holdings);
  Tasks after_report(double now, const Report& report);
  Tasks stop();
  Tasks on(double now, const Refusal& refusal);
  Tasks on(double now, const Complaint& complaint);
  Tasks take_upload(double now, const MessagePtr& message);
  template <class Other>
  Tasks on(double, const Other&) {  // not for the server
    return {};
  }

  // ---- who is not counted on any more (server_conduct.cc)
  Tasks take_kept(double now);
  void note_about(double now, int client, const std::string& text);
  Tasks fault(double now, int client, const std::string& what);
  Tasks quarantine(double now, int client, const std::string& why, bool refused);
  Tasks end_if_many_refuse();
  void pardon(int client);
  void leave_group(int client);
  void hasten(double now);
  bool strike_off(double now);
  bool strike_withholding(double now);
  double longest_debt(int client) const;
  void strike(double now, int client, double owed_for);
  bool strike_idle(double now);
  void ask_withholding(double now, std::vector<bool>& share);
  Tasks redeem(double now);
  void note_upload_of(double now, int client);
  Status restore_conduct(ByteReader& in);

  // ---- wrong uploads (server_conduct.cc)
  bool enough_uploads() const;
  bool others_may_upload() const;
  Tasks open_now();
  Tasks doubt(double now, const Error& contradiction);
  Tasks found_wrong(double now, int client);
  std::optional<Tasks> doubt_deadline_passed(double now);
  Result<Tasks> judge_late(double now);
  void take_back(const Plan& plan);

  // ---- new models, and who would still hold them without their sender (server_holders.cc)
  std::vector<int> there() const { return caught_up(board_.living()); }
  bool outlasts_any_sender() const;
  Tasks open_if_held(double now);
  bool holders_settled(double now) const;
  std::optional<Tasks> holders_deadline_passed(double now);
  bool names_withheld(const std::vector<std::optional<Version>>& held) const;

  // ---- rounds from which nobody learns (server_idle.cc)
  void note_learning();
  void note_epoch();
  Tasks train_on(double now);
  Tasks stand_by(double now);
  bool may_go_on() const;

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
  Tasks send_plan(double now);
  Task broadcast(std::shared_ptr<const Plan> plan, bool free);
  // Who is behind gets its gradients before a plan, and never one that others got meanwhile.
  std::vector<int> caught_up(std::vector<int> clients) const;
  // It has the open plan, and by its word all that this takes.
  bool may_upload(int client) const;
  int uploads_possible() const;
  bool archive(const Step& step);

  // ---- opening and learning (server.cc)
  Task open_task();
  Tasks open();
  Tasks after_opening(double now, const UploadBox::Opened& opened);
  Tasks after_round(double now, const UploadBox::Opened& opened);
  Tasks after_chunk(double now, const UploadBox::Opened& opened);
  void learn(double now, const UploadBox::Opened& opened);
  void note_warmup_share_times(double now, int reporter);
  void note_able(int client, double now);

  // ---- when it takes too long (server_deadlines.cc)
  Tasks soft_deadline_passed(double now);
  Tasks setup_deadline_passed(double now);
  std::string silent_before_training(double now) const;
  Tasks wait_before_training(double now, const std::string& names);
  double setup_interval() const;
  Tasks share_anew(double now);
  std::optional<Tasks> revise_or_bury(double now);
  Tasks wait_longer(double now);
  bool waited_too_long(double now);
  double next_death(double now) const;
  double soft_deadline() const;
  double patient_span() const;
  void hope(double now);
  Tasks request_reports(bool fetch_again = false);
  bool everybody_reported() const;
  void note_silent();
  void form_groups();
  void adopt_groups();
  Tasks revise(double now);
  Tasks repeat_plan(double now);
  Tasks revise_for_returned(double now);
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
  std::vector<LifeCard> cards_;  // beside hellos_
  std::vector<bool> here_;       // has said hello to this server
  std::vector<bool> sent_away_;  // has, and was not let in
  std::vector<SharingId> sharings_;
  std::vector<Digest> seeds_;         // lists of mask seeds, as hellos before training say
  std::vector<Groups> bound_groups_;  // as their hellos say
  // Of clients that are behind: the next gradient to send. They get nothing else until they have
  // all.
  struct Behind {
    StepNumber next = 0;
  };
  std::vector<std::optional<Behind>> behind_;
  std::vector<StepNumber> saved_;              // per client: the step that it could start from
  std::vector<std::uint64_t> uploaded_below_;  // per client: see Welcome
  std::vector<std::uint64_t> told_head_;       // per client: index of the last plan it was told of
  std::vector<std::optional<int>> agreeing_;   // per client: see Report
  bool said_heads_ = false;                    // that clients wait for heads, of this plan
  std::vector<bool> given_up_;                 // per client: too far behind to catch up
  std::vector<bool> finished_;                 // per client: has saved its last model
  StepNumber sent_ = 0;                        // gradients, and their link
  Digest link_{};
  bool unwritten_ = false;
  bool plan_open_ = false;  // plan_ has been sent and not been opened yet
  bool save_due_ = false, stop_after_round_ = false;
  bool said_clipped_ = false;
  bool said_stuck_ = false;   // since then
  double hopeful_since_ = 0;  // a round began, or somebody came back
  double below_since_ = -1;
  double enough_since_ = -1;                  // after a restart: R clients are back
  std::vector<Conduct> conduct_;              // by client
  std::vector<std::optional<Hello>> claims_;  // by client: of more than this server can have sent
  Turnstile returns_, reports_, remarks_;
  std::vector<bool> plan_sent_;  // by client: the open plan, to the life that it lives now
  std::vector<double> able_at_;  // by client: since when it could upload for the plan; -1: cannot
  std::optional<Error> doubt_;   // the uploads of the plan contradict each other
  double doubt_since_ = 0;
  // R uploads were there, but too few others hold some sender's new model; -1: not of this plan.
  double holders_since_ = -1;
  int doubted_ = 0;             // how many they were
  int suspicious_rounds_ = 0;   // so many more are opened with uploads to spare
  std::string central_before_;  // the last round was learned
  std::optional<std::uint64_t> learned_round_;
  bool learned_in_epoch_ = false, said_nobody_learns_ = false;
  std::uint64_t idle_rounds_ = 0;
  int idle_epochs_ = 0;
  bool stood_by_ = false;  // when the server that this one goes on from was saved
  double idle_since_ = -1;

  HoldingsBoard board_;
  VersionPolicy policy_;
  BatchSchedule schedule_;
  UploadBox box_;
  Pace pace_;

  std::uint64_t round_ = 0, revision_ = 0, openings_ = 0;
  std::shared_ptr<const Plan> plan_;
  std::vector<bool> plan_frozen_;   // what clients are told of the versions that the plan names
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
  SharingProgress sharing_;
  double asked_at_ = 0;   // for reports, the last time
  double vain_wait_ = 0;  // of this round, for groups that it then left out
  std::vector<bool> reported_;
  std::vector<double> share_lateness_;  // per client, summed over the warm-up rounds
  std::vector<bool> share_noted_;       // of this round
};

}  // namespace fedvs::protocol
