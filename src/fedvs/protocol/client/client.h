// A client: shares its rows once and its model whenever a step asks for it, evaluates every plan on
// everybody's shares, and learns from the broadcast gradient. One instance per process start.
//   1 share models   Eq. (3), (4)    2 evaluate   Eq. (5)    3 mask and upload    5 learn
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/coding/lagrange.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/client/dealings.h"
#include "fedvs/protocol/client/deferred_work.h"
#include "fedvs/protocol/client/life.h"
#include "fedvs/protocol/client/options.h"
#include "fedvs/protocol/client/own_model.h"
#include "fedvs/protocol/client/plan_book.h"
#include "fedvs/protocol/client/postponed.h"
#include "fedvs/protocol/client/row_exchange.h"
#include "fedvs/protocol/client/seed_exchange.h"
#include "fedvs/protocol/client/share_shelf.h"
#include "fedvs/protocol/client/states.h"
#include "fedvs/protocol/plan_content.h"
#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

class Client {
 public:
  // `agreement`, `code` and `secrets` outlive the client.
  Client(int number, const Agreement& agreement, const coding::LagrangeCode& code, LocalModel model,
         std::unique_ptr<CodedRows> rows, SecretSource& secrets, ClientOptions options = {});

  Tasks start();  // says hello
  // The connection was lost, and with it whatever was on its way: says hello under a new
  // incarnation.
  Tasks come_back();
  Tasks receive(const MessagePtr& message);

  // Tasks decide at once and leave their arithmetic for later, since no decision depends on it.
  // Only the driver calls these. On the network compute_models() after every task, and
  // compute_uploads() when a message has been made and before it leaves (client_driver.h). Where
  // all clients are in one process: first the models of all of them (each client's in order,
  // clients at the same time), then the uploads (again at the same time), which read what others'
  // shares are of; and both before the server's task that opens the sum (Work::Kind::kOpen).
  void compute_models() { work_->compute_models(); }
  void compute_uploads() { work_->compute_uploads(); }
  // What compute_models() found out: a model that was to be shared does not fit the ring.
  const Status& models_fit() const { return own_.local().fits(); }
  // Once, where it does not: what to send instead of all that the task made. Nothing of that
  // version leaves, and the client has broken off: when a model stops to fit tells whoever chose
  // the gradients how long the client's rows are, so it is said once, not once per restart.
  std::optional<Effects> take_withdrawal();

  // ---- what it must know again after a restart, on this machine or another
  std::string save() const;                // once compute_models() is done; a few times a minute
  Status restore(std::string_view bytes);  // kCorrupt; before start()
  // Of shares of others that it holds: a dead client cannot send its own again.
  std::vector<MessagePtr> held_models() const;
  void recall_model(const ModelShare& share);
  // A step with a plan that was accepted after the last save(), from notes made before it was
  // answered. Judged again: kRefused, and nothing of it is believed.
  Status recall_plan(const Step& step);
  // The seeds of the run's masks, from SeedBook::save of an earlier life; before start().
  Status recall_seeds(std::string_view bytes);  // kCorrupt
  const SeedBook& seeds() const { return seeds_.book(); }
  // A chunk in its file, and the sharing that it is of; a torn one tells its sharing only.
  void recall_rows(int sender, data::Part part, std::size_t first_row, const SharingId& sharing) {
    rows_.held().add(sender, {part, first_row}, sharing);
  }
  void recall_sharing(int sender, const SharingId& sharing) {
    rows_.held().note_sharing(sender, sharing);
  }
  // The sharing of the chunk that it holds; none: it does not hold it.
  std::optional<SharingId> held_sharing(int sender, data::Part part, std::size_t first_row) const {
    return rows_.held().sharing_of(sender, {part, first_row});
  }
  void note_saved() { own_.note_saved(); }
  const Farewell* farewell() const { return doing::farewell(state_); }  // null: none yet
  // Whether it came back when all was over, or has not seen a plan since it did.
  bool was_away_at_the_end() const { return doing::is_behind(state_); }
  MessagePtr last_report() const;  // once its state is saved, after a farewell
  const Incarnation& incarnation() const { return life_.incarnation(); }
  // The newest that it has accepted, in this life: the very object that it came as.
  const std::shared_ptr<const Plan>& plan() const { return plans_.open().plan(); }
  const std::shared_ptr<const Groups>& groups() const { return plans_.groups().of_run(); }
  const Welcome& welcome() const { return life_.welcome(); }
  bool rows_line_up() const {
    return rows_.comparison().line_up();
  }  // with everybody's: they may be shared
  // Of an earlier run over these rows, by its own memory or that of others; empty: none.
  const Groups& bound_groups() const { return plans_.groups().bound(); }

  int number() const { return number_; }
  const Agreement& agreement() const { return agreement_; }
  const LocalModel& model() const { return own_.local(); }
  LocalModel& model() { return own_.local(); }
  const CodedRows& rows() const { return rows_.coded(); }
  Holdings holdings() const;
  const std::vector<std::string>& refusals() const { return refusals_; }
  // Why it takes part no more; null: it does.
  const doing::BrokenOff* broken_off() const { return std::get_if<doing::BrokenOff>(&state_); }
  const HeadBook* heads() const { return plans_.heads(); }

 private:
  // on(message): what each kind of message makes the client do.
  Tasks on(const Welcome& welcome);
  Tasks on(const Regather&);
  Tasks on(const RowKey& key);
  Tasks on(const RowCheck& check);
  Tasks on(const DataRequest& request);
  Tasks on(const DataShare& share);
  Tasks on(const ModelRequest& request);
  Tasks on(const Farewell& farewell);
  Tasks on(const Step& step);
  Tasks on(const ReportRequest& request);
  Tasks on(const MissedPlan& missed);
  Tasks on(const Echo& echo);
  Tasks on(const SeedShare& share);
  Tasks on(const SeedRequest& request);
  template <class Other>
  Tasks on(const Other&) {  // not for clients
    return {};
  }

  // ---- coming and coming back (returns.cc)
  Tasks begin_life();
  Tasks meet_again(const Welcome& before);
  Status check_sharings(const Welcome& welcome) const;
  RunFacts facts() const;
  void keep_named_version();

  // ---- the chain of plans (chain.cc)
  void take_head(const Step& step, const Digest& content, Tasks& tasks);
  void hear(int from, const SignedHead& head, bool counts, Tasks& tasks);
  void say(HeadBook::Say what, Tasks& tasks);
  void echo_to(int to, const SignedHead& head, Echo::Kind kind, Tasks& tasks) const;
  void echo_to_all(const SignedHead& head, Echo::Kind kind, Tasks& tasks) const;
  bool stop_if_proven(Tasks& tasks);
  void begin_telling(Tasks& tasks);
  // A refusal on grounds of privacy, after which it takes part no more.
  Task break_off(std::string reason, std::uint64_t revision = 0);

  // ---- rows (rows.cc)
  Tasks check_rows();
  Task tell_verdict(std::vector<int> differ) const;
  Tasks begin_fetching();

  // ---- what others share (shares.cc)
  Tasks take(const ModelShare& share);
  bool is_worth_a_report(int sender);

  // ---- what it makes for others, and learns (sharing.cc)
  Task share_data();
  Task share_model();
  MessagePtr data_chunk(const Chunk& chunk, int recipient);
  MessagePtr model_message(const OwnModel::Kept& shared, int to) const;
  std::optional<Version> named_of_own() const;  // by the newest plan for training
  void send_to_all(Effects& effects, Outgoing message) const;
  Task learn(std::shared_ptr<const Gradient> gradient, double rate_factor);
  Tasks take_early_shares();

  // ---- rounds (rounds.cc)
  class Answer;
  bool may_train() const;
  void accept_plan(const Step& step, Tasks& tasks);
  void forget_older_versions(const Plan& next);
  bool may_upload();
  Tasks upload_if_ready();
  MessagePtr make_upload();  // Eq. (5) and the masks

  // ---- what it says to the server (client.cc)
  static Tasks one(Task task);
  bool setup_complete() const;
  Task report() const;
  // A Refusal, and no more: where nothing of this client was asked for yet (a message that is
  // malformed, a welcome that does not fit). All that the guard refuses goes through break_off().
  Task refuse(std::string reason, std::uint64_t revision = 0);
  // Of what another client sent and this one has dropped. Said again at growing intervals.
  Tasks complain(int about, const std::string& reason);
  bool training() const { return doing::has_seen_plan(state_); }  // in this life or before
  void move_on(const doing::Event& event) { state_ = doing::next(state_, event); }

  const int number_;
  const Agreement& agreement_;
  SecretSource& secrets_;
  const ClientOptions options_;
  ClientLife life_;
  doing::State state_;
  const std::shared_ptr<DeferredWork> work_;
  OwnModel own_;
  ShareShelf shelf_;  // models of everybody
  SeedExchange seeds_;
  RowExchange rows_;
  PlanBook plans_;
  Postponed postponed_;
  Dealings dealings_;
  std::vector<std::string> refusals_;
};

// Of what Client::save made: what a later run needs that scores rows. kCorrupt.
struct SavedParts {
  std::string model;  // as LocalModel::save gives it; secret
  Groups groups;      // empty: none were formed
};
Result<SavedParts> parts_of(std::string_view saved, int parties);

}  // namespace fedvs::protocol
