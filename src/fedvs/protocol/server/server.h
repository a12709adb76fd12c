// The server: plans every round, opens the sum of all embeddings from any R uploads, trains the
// central model on it and broadcasts the gradient of the average embedding.
//   1 plan      plans.cc       rows (batch_schedule.h) and a version per client (version_policy.h),
//                              written down, signed (plan_chain.h) and broadcast
//   2 wait      server.cc      reports and uploads come (upload_box.h); holders.cc: who holds new
//                              models; wrong_uploads.cc: uploads that contradict each other
//   3 open      opening.cc     Eq. (6), (7), and step 5: it learns (learner.h)
//   4 and on    idle.cc, evaluation.cc   the next round, or an evaluation of all rows of a part
//   before      gathering.cc   all say hello and get everybody's rows; restart.cc: after a restart
//   too slow    deadlines.cc   who holds what is asked, and revisions.cc makes another plan
// Which may follow which: phase.h. Who is counted on: attendance.h; who comes back: returns.h, the
// two layers below this one.
//
// A client's connection is lost while a round is open: Attendance::lost. What it holds counts no
// more, what it has uploaded for the plan does. Within a second the deadline passes: the client is
// dead at once where a hello undoes that (on_dead = "freeze-group"), else after dead_after
// (deaths.cc). revise() looks whether R others (uploads_needed) can answer the open plan: then it
// stays open; if not, it makes one that they can: the same rows and versions again, or other rows
// and older versions. With fewer than R clients left the run waits for some to come back
// (restart.cc).
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/protocol/plan_content.h"
#include "fedvs/protocol/server/learner.h"
#include "fedvs/protocol/server/returns.h"
#include "fedvs/protocol/server/sharing_progress.h"

namespace fedvs::v1 {
class SavedCourse;
class SavedServer;
}  // namespace fedvs::v1

namespace fedvs::protocol {

inline constexpr const char* kWrongUpload =
    "its upload was wrong, by its own doing or by a share that another client sent it";

class Server : private Returns {
 public:
  // All references outlive the server.
  Server(const Agreement& agreement, const coding::LagrangeCode& code, Learner& learner,
         SecretSource& secrets, Observer& observer, ServerSettings settings);

  // Time is in seconds of any clock that the driver likes.
  Tasks receive(double now, const MessagePtr& message);
  Tasks tick(double now);
  using Attendance::lost;
  void clock(double now) { waits_.now = now; }  // before a task of its own is run
  double next_deadline() const;                 // infinity: none

  // After a restart, instead of starting: the state that save() gave before a step was sent. The
  // run goes on when everybody has said hello again, or enough have by the deadline.
  std::string save() const;
  Status restore(double now, std::string_view bytes);                    // kCorrupt
  bool take_save_due() { return std::exchange(post_.save_due, false); }  // before it sends
  // What was decided could not be written down, and must not be later: it was never sent.
  bool may_be_saved() const { return !post_.unwritten; }
  void stop_after_round() { course_.stop_after_round = true; }  // then ends with kStopped

  // ---- where the run stands
  const Status& status() const { return phase_.status(); }  // an error ends the run
  bool awaits_clients() const { return phase_.now() <= Phase::kReturning; }
  using Attendance::training_started;
  bool evaluating() const { return course_.evaluation.has_value(); }
  bool stands_by() const { return phase_.is(Phase::kStandingBy); }
  bool done() const { return phase_.is(Phase::kDone); }
  std::uint64_t rounds() const { return course_.round; }       // gradients broadcast
  std::uint64_t openings() const { return course_.openings; }  // sums, of training and evaluation
  int finished_epochs() const { return course_.finished_epochs; }
  double training_ended() const { return course_.training_ended; }  // when the last epoch's was
  // Why no client learns from the rounds of now; empty while some do.
  std::string why_nobody_learns() const;
  std::uint64_t idle_rounds() const { return course_.idleness.rounds; }  // in which nobody learned
  int idle_epochs() const { return course_.idleness.epochs; }
  const Plan* last_plan() const { return open_.plan.get(); }  // that was sent; null: none yet
  const HoldingsBoard& board() const { return board_; }
  const VersionPolicy& policy() const { return policy_; }
  const std::shared_ptr<const Groups>& groups() const { return post_.groups; }  // null: none yet
  // Before training: how far the rows are. Whoever carries them says that they flow.
  const SharingProgress& sharing() const { return sharing_; }
  void rows_flow(double now) { sharing_.bytes_flow(now); }

  // ---- patience with validation losses
  double best_validation_loss() const { return course_.patience.best_loss; }
  int evaluations_without_gain() const { return course_.patience.without_gain; }
  void restore_patience(double best, int waited);
  // After which epoch patience ended the run; 0: it has not. Who goes through a run again without
  // losses to judge by says so before.
  int patience_ended() const { return course_.patience.ended_after; }
  void expect_patience_to_end(int epoch) { course_.patience.ended_after = epoch; }

  // ---- one client
  bool behind(int client) const { return members_[client].presence.is_behind(); }
  // Gradients and plans that one that is behind had, or was sent since: to tell whether it moves.
  std::uint64_t steps_fetched(int client) const {
    const Member& member = members_[client];
    return (member.presence.is_behind() ? member.presence.next() : post_.sent) + member.told_plans;
  }
  using Returns::steps_sent;
  // It has come back, but so often that its hello has to wait.
  bool greeting_waits(int client) const { return gates_.returns.keeps(client); }
  // Why this client is not counted on; empty while it is. For people.
  std::string why_not_counted_on(int client) const { return roll().why_not_counted_on(client); }
  // See RollCall.
  std::optional<int> heads_waited_with() const { return roll().heads_waited_with(); }
  bool waits_for_heads(int client) const { return roll().waits_for_heads(client); }
  // Once done: clients that have not said that their last model is saved, without which rows cannot
  // be scored. Whoever comes back gets what it missed.
  std::vector<int> unsaved() const { return roll().unsaved(); }

 private:
  // ---- what comes in (server.cc); refusals and complaints are Attendance's
  Tasks take(double now, const MessagePtr& message);
  Tasks take_kept(double now);
  Tasks take_upload(double now, const MessagePtr& message);
  Tasks on(double now, const Hello& hello);
  Tasks on(double now, const Report& report);
  using Returns::on;
  template <class Other>
  Tasks on(double, const Other&) {  // not for the server
    return {};
  }
  void note_holdings(double now, int client, const Holdings& holdings);
  void note_agreeing(const Report& report);
  Tasks after_report(double now, const Report& report);
  void note_warmup_share_times(double now, int reporter);
  void note_able(int client, double now);
  Tasks receive_late(double now, const Message& message);  // after.cc: when all is over

  // ---- before training (gathering.cc)
  Tasks gather(const Hello& hello);
  Tasks regather(const Hello& hello);
  Tasks setup_deadline_passed(double now);
  std::string silent_before_training(double now) const;
  Tasks wait_before_training(double now, const std::string& names);

  // ---- fewer than R, and a server that comes back (restart.cc)
  Tasks below_threshold(double now);
  // Some are missing: a while longer, as the operator has said. False: that is over; the run fails.
  bool wait_for_return(double now, const std::string& lack);
  Tasks gather_again(double now, const Hello& hello);
  void hurry(double now);
  bool claims_too_much(const Hello& hello) const;
  Tasks note_claim(const Hello& hello);
  Tasks judge_claims();
  Tasks returning_deadline_passed(double now);
  Tasks go_on(double now);
  Tasks go_on_with_plan(double now);
  Tasks stop();

  // ---- over a restart (saved.cc, saved_course.cc)
  void save_course(v1::SavedCourse& to) const;
  void restore_course(const v1::SavedCourse& from);
  void save_members(v1::SavedServer& to) const;
  Status restore_members(const v1::SavedServer& from);
  void save_plans(v1::SavedServer& to) const;
  Status restore_plans(const v1::SavedServer& from);
  Status restore_heads(std::uint64_t plans);
  Status restore_ending(const v1::SavedServer& from);

  // ---- what comes next (plans.cc, idle.cc, evaluation.cc)
  Tasks begin(double now);
  void ask_for_shares(double now, bool all_groups);
  Tasks next_training_step(double now);
  Tasks next_after_epoch(double now);
  Tasks issue_training_plan(double now, VersionPolicy::Choice choice);
  Tasks issue(double now, data::Part part, std::vector<std::size_t> rows,
              std::vector<std::optional<Version>> versions, std::vector<bool> frozen);
  Tasks send_plan(double now);
  Task broadcast(std::shared_ptr<const Plan> plan, bool evaluation);
  bool write_down(Step& step);
  RunFacts facts() const {
    return {settings_.run, members_.each(&Member::sharing), members_.each(&Member::seeds)};
  }
  void note_learning();
  void note_epoch();
  Tasks train_on(double now);
  Tasks stand_by(double now);
  bool may_go_on() const;
  Tasks start_evaluation(double now, data::Part part);
  Tasks next_chunk(double now);
  Tasks finish_evaluation(double now);
  void note_validation(double loss);
  Tasks restart_evaluation(double now, std::vector<std::optional<Version>> versions);

  // ---- opening and learning (opening.cc)
  Tasks open_now();
  Task open_task();
  Tasks open();
  Tasks after_opening(double now, const UploadBox::Opened& opened);
  Tasks after_round(double now, const UploadBox::Opened& opened);
  Tasks after_chunk(double now, const UploadBox::Opened& opened);
  void learn(double now, const UploadBox::Opened& opened);
  void note_learned(const Learner::Learned& learned);

  // ---- wrong uploads (wrong_uploads.cc)
  bool enough_uploads() const;
  Tasks doubt(double now, const Error& contradiction);
  Tasks found_wrong(double now, int client);
  std::optional<Tasks> doubt_deadline_passed(double now);
  Result<Tasks> judge_late(double now);
  void take_back(const Plan& plan);

  // ---- new models, and who would still hold them without their sender (holders.cc)
  bool outlasts_any_sender() const;
  Tasks open_if_held(double now);
  bool holders_settled(double now) const;
  std::optional<Tasks> holders_deadline_passed(double now);

  // ---- when it takes too long (deadlines.cc, revisions.cc)
  Tasks soft_deadline_passed(double now);
  Tasks share_anew(double now);
  std::optional<Tasks> revise_or_bury(double now);
  Tasks wait_longer(double now);
  bool waited_too_long(double now);
  Tasks revise(double now);
  Tasks repeat_plan(double now);
  Tasks revise_for_returned(double now);

  Learner& learner_;
  SharingProgress sharing_;
};

}  // namespace fedvs::protocol
