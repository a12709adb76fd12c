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
#include "fedvs/protocol/per_client.h"
#include "fedvs/protocol/plan_content.h"
#include "fedvs/protocol/server/course.h"
#include "fedvs/protocol/server/gates.h"
#include "fedvs/protocol/server/holdings_board.h"
#include "fedvs/protocol/server/learner.h"
#include "fedvs/protocol/server/member.h"
#include "fedvs/protocol/server/open_round.h"
#include "fedvs/protocol/server/phase.h"
#include "fedvs/protocol/server/post.h"
#include "fedvs/protocol/server/settings.h"
#include "fedvs/protocol/server/sharing_progress.h"
#include "fedvs/protocol/server/version_policy.h"
#include "fedvs/protocol/server/waits.h"
#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

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
  void clock(double now) { waits_.now = now; }  // before a task of its own is run
  double next_deadline() const;                 // infinity: none

  // After a restart, instead of starting: the state that save() gave before a step was sent. The
  // run goes on when everybody has said hello again, or enough have by the deadline.
  std::string save() const;
  Status restore(double now, const std::string& bytes);  // kCorrupt
  bool take_save_due() {
    return std::exchange(post_.save_due, false);
  }  // before what it sends is sent
  // Finishes the round, then ends with kStopped.
  void stop_after_round() { course_.stop_after_round = true; }
  bool awaits_clients() const { return phase_.now() <= Phase::kReturning; }
  const Plan* last_plan() const {
    return open_.plan.get();
  }  // that was sent; null before there is one
  // Before training: how far the rows are. Whoever carries them says that they flow.
  const SharingProgress& sharing() const { return sharing_; }
  void rows_flow(double now) { sharing_.bytes_flow(now); }
  bool evaluating() const { return course_.evaluation.has_value(); }
  bool behind(int client) const { return members_[client].presence.is_behind(); }
  // Gradients and plans that one that is behind had, or was sent since: to tell whether it moves.
  std::uint64_t steps_fetched(int client) const {
    const Member& member = members_[client];
    return (member.presence.is_behind() ? member.presence.next() : post_.sent) + member.told_plans;
  }
  // It has come back, but so often that its hello has to wait.
  bool greeting_waits(int client) const { return gates_.returns.keeps(client); }
  StepNumber steps_sent() const { return post_.sent; }  // gradients
  // What was decided could not be written down, and must not be later: it was never sent.
  bool may_be_saved() const { return !post_.unwritten; }
  // Clients could upload for the open plan, and wait for others' word that they were shown the same
  // plans: the least number of heads that agree at one of them; none where nobody waits.
  std::optional<int> heads_waited_with() const;
  bool waits_for_heads(int client) const { return members_[client].plan.agreeing.has_value(); }
  const HoldingsBoard& board() const { return board_; }
  const VersionPolicy& policy() const { return policy_; }
  const std::shared_ptr<const Groups>& groups() const { return post_.groups; }  // null: none yet
  // For people: why this client is not counted on; empty while it is.
  std::string why_not_counted_on(int client) const;
  // Why no client learns from the rounds of now; empty while some do.
  std::string why_nobody_learns() const;
  std::uint64_t idle_rounds() const { return course_.idleness.rounds; }  // in which nobody learned
  int idle_epochs() const { return course_.idleness.epochs; }
  bool stands_by() const { return phase_.is(Phase::kStandingBy); }

  bool done() const { return phase_.is(Phase::kDone); }
  // Once done: clients that have not said that their last model is saved, without which rows cannot
  // be scored. Whoever comes back gets what it missed.
  std::vector<int> unsaved() const;
  const Status& status() const { return phase_.status(); }     // an error ends the run
  std::uint64_t rounds() const { return course_.round; }       // gradients broadcast
  std::uint64_t openings() const { return course_.openings; }  // sums, of training and evaluation
  int finished_epochs() const { return course_.finished_epochs; }
  double training_ended() const { return course_.training_ended; }  // when the last epoch's was
  bool training_started() const { return phase_.training_started(); }
  void set_arithmetic(Arithmetic arithmetic) { course_.arithmetic = arithmetic; }
  double best_validation_loss() const { return course_.patience.best_loss; }
  void restore_patience(double best, int waited);
  int evaluations_without_gain() const { return course_.patience.without_gain; }
  // After which epoch patience ended the run; 0: it has not. A replay, which has no losses to judge
  // by, is told before it starts.
  int patience_ended() const { return course_.patience.ended_after; }
  void expect_patience_to_end(int epoch) { course_.patience.ended_after = epoch; }
  // Uploads that a replay left empty.
  void refill_uploads(const std::function<MessagePtr(int client)>& make) { open_.box.refill(make); }
  // The newest gradients, oldest first: some may still be on their way to slow clients.
  const std::deque<std::shared_ptr<Gradient>>& recent_gradients() const { return post_.recent; }

 private:
  Tasks take(double now, const MessagePtr& message);
  Tasks on(double now, const Hello& hello);

  // ---- the chain of plans (chain.cc)
  bool sign_plan(Step& step);  // false: it could not be written down, and is not sent
  RunFacts facts() const {
    return {settings_.run, members_.each(&Member::sharing), members_.each(&Member::seeds)};
  }
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

  // ---- who comes, comes back, or does not (returns.cc)
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
  Status restore_share_times(ByteReader& in);
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
  std::size_t welcome_bytes() const { return 16 * (1 + parties(agreement_)); }
  int clients_here() const;
  std::vector<bool> nobody() const { return std::vector<bool>(parties(agreement_), false); }
  Tasks to_all(MessagePtr message, std::size_t bytes) const;
  Tasks catch_up(double now, int client);
  Tasks send_missed_gradients(int client);
  std::vector<std::optional<StepNumber>> named_steps() const;

  // ---- when all is over (after.cc)
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
  // Some are missing: a while longer, as the operator has said. False: that is over; the run fails.
  bool wait_for_return(double now, const std::string& lack);

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

  // ---- who is not counted on any more (misconduct.cc)
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
  bool strike_defaulting(double now);
  void ask_withholding(double now, std::vector<bool>& share);
  Tasks redeem(double now);
  void note_upload_of(double now, int client);
  Status restore_conduct(ByteReader& in);

  // ---- wrong uploads (wrong_uploads.cc)
  bool enough_uploads() const;
  bool others_may_upload() const;
  Tasks open_now();
  Tasks doubt(double now, const Error& contradiction);
  Tasks found_wrong(double now, int client);
  std::optional<Tasks> doubt_deadline_passed(double now);
  Result<Tasks> judge_late(double now);
  void take_back(const Plan& plan);

  // ---- new models, and who would still hold them without their sender (holders.cc)
  std::vector<int> there() const { return caught_up(board_.living()); }
  bool outlasts_any_sender() const;
  Tasks open_if_held(double now);
  bool holders_settled(double now) const;
  std::optional<Tasks> holders_deadline_passed(double now);
  bool names_withheld(const std::vector<std::optional<Version>>& held) const;

  // ---- rounds from which nobody learns (idle.cc)
  void note_learning();
  void note_epoch();
  Tasks train_on(double now);
  Tasks stand_by(double now);
  bool may_go_on() const;

  // ---- what comes next (plans.cc)
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

  // ---- when it takes too long (deadlines.cc)
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

  ServerPhase phase_;
  Course course_;
  OpenRound open_;
  Post post_;
  Waits waits_;
  Gates gates_;
  PerClient<Member> members_;
  SharingProgress sharing_;
  HoldingsBoard board_;
  VersionPolicy policy_;
};

}  // namespace fedvs::protocol
