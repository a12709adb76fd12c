// A client: shares its rows once and its model whenever a step asks for it, evaluates every plan on
// everybody's shares, and learns from the broadcast gradient. One instance per process start.
//   1 share models   Eq. (3), (4)    2 evaluate   Eq. (5)    3 mask and upload    5 learn
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fedvs/coding/lagrange.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/coded_rows.h"
#include "fedvs/protocol/data_sharer.h"
#include "fedvs/protocol/evaluation.h"
#include "fedvs/protocol/local_model.h"
#include "fedvs/protocol/masks.h"
#include "fedvs/protocol/plan_guard.h"
#include "fedvs/protocol/share_shelf.h"
#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

// What a client that is alone in its process does besides.
struct ClientOptions {
  // Rows are asked for chunk by chunk instead of pushed, so that nobody is flooded and a transfer
  // resumes; before that, all clients make sure that they have the same rows in the same order. The
  // newest shares of its model are kept, for clients that come back and have lost theirs.
  bool apart = false;
  std::uint64_t row_count = 0;
  std::function<Digest(const Key256&)> row_digest;  // of its row ids, under a key
};

class Client {
 public:
  // `agreement`, `code` and `secrets` outlive the client.
  Client(int number, const Agreement& agreement, const coding::LagrangeCode& code, LocalModel model,
         std::unique_ptr<CodedRows> rows, SecretSource& secrets, ClientOptions options = {});

  Tasks start();  // says hello
  // The connection was lost, and with it whatever was on its way: says hello under a new
  // incarnation, which voids the masks that it holds and has dealt.
  Tasks come_back();
  Tasks receive(const MessagePtr& message);
  void set_arithmetic(Arithmetic arithmetic) { arithmetic_ = arithmetic; }

  // Tasks decide at once and leave their arithmetic for later, since no decision depends on it. A
  // driver has it done before anybody reads the numbers: first the models of all clients (in any
  // order, or at the same time), then the uploads.
  void compute_models();  // learns, rounds and draws masks; touches this client's state only
  bool has_models_to_compute() const { return !models_to_compute_.empty(); }
  // Leaves that to the caller, to be done in order.
  std::vector<std::function<void()>> take_models() { return std::exchange(models_to_compute_, {}); }
  void compute_uploads();  // reads the secrets that others' shares are of
  std::span<const Evaluation> uploads_to_compute() const { return uploads_to_compute_; }
  // Leaves the computing of all its uploads to the caller.
  std::vector<Evaluation> take_uploads() { return std::exchange(uploads_to_compute_, {}); }

  // ---- what it must know again after a restart, on this machine or another
  std::string save() const;                  // once compute_models() is done; a few times a minute
  Status restore(const std::string& bytes);  // kCorrupt; before start()
  // Of shares of others that it holds: a dead client cannot send its own again.
  std::vector<MessagePtr> held_models() const;
  void recall_model(const ModelShare& share);
  // A step with a plan that came after the last save(), from notes made before it was answered.
  void recall_plan(const Step& step);
  void recall_rows(int sender, data::Part part, std::size_t first_row);  // a chunk in its file
  void note_saved() { saved_ = model_.step(); }
  const std::optional<Farewell>& farewell() const { return farewell_; }
  const Incarnation& incarnation() const { return incarnation_; }
  const Welcome& welcome() const { return welcome_; }

  int number() const { return number_; }
  const Agreement& agreement() const { return agreement_; }
  const LocalModel& model() const { return model_; }
  LocalModel& model() { return model_; }
  const CodedRows& rows() const { return *rows_; }
  Holdings holdings() const;
  const std::vector<std::string>& refusals() const { return refusals_; }

  // For the simulator's resume: the shares of this client that a replay without arithmetic left out
  // at the others, put there directly. Needs a reproducible source.
  void refill(std::span<const std::unique_ptr<Client>> others);
  void refill_rows(Client& other);
  void refill_model(Client& other, StepNumber step, const std::shared_ptr<Secret>& secret);
  MessagePtr remake_upload() { return evaluate(); }  // of the plan that it has uploaded for

 private:
  // on(message): what each kind of message makes the client do.
  Tasks on(const Welcome& welcome);
  Tasks on(const Regather&) { return come_back(); }
  Tasks on(const RowKey& key);
  Tasks on(const RowCheck& check);
  Tasks on(const DataRequest& request);
  Tasks on(const DataShare& share);
  Tasks on(const ModelRequest& request);
  Tasks on(const Farewell& farewell);
  Tasks on(const Step& step);
  Tasks on(const ReportRequest&);
  template <class Other>
  Tasks on(const Other&) {  // not for clients
    return {};
  }

  // ---- coming and coming back (client_returns.cc)
  Tasks begin_life();
  Tasks meet_again(const Welcome& before);
  void deal_stock(Tasks& tasks);

  // ---- rows (client_rows.cc)
  Tasks check_rows();
  Tasks begin_fetching();
  void fetch_more(int sender, Tasks& tasks);
  Task request(int sender, data::Part part, std::size_t first_row) const;
  Outgoing to_client(int to, MessagePtr message, std::size_t bytes) const;

  class Answer;
  static Tasks one(Task task);
  Status check_gradient(const Gradient& gradient) const;
  Tasks answer_again(const Plan& plan);
  std::size_t holdings_bytes() const;

  Task share_data();
  Task share_model();
  MessagePtr data_chunk(data::Part part, std::size_t first, int recipient);
  std::shared_ptr<Secret> shared_model(StepNumber step);
  void keep(const Version& version, std::shared_ptr<const Shares> shares);
  MessagePtr model_message(const Version& version, const std::shared_ptr<const Shares>& shares,
                           int to) const;
  MessagePtr mask_message(const MaskId& id, const std::shared_ptr<const Shares>& shares,
                          int to) const;
  void send_to_all(Effects& effects, Outgoing message) const;
  std::size_t wire_bytes(std::size_t elements) const;
  Task deal(MaskPool pool);
  Task learn(std::shared_ptr<const Gradient> gradient, double rate_factor);
  Tasks upload_if_ready();
  MessagePtr evaluate();  // Eq. (5) and the masks
  void compute_later(std::function<void()> work);

  void accept_plan(const Step& step, Tasks& tasks);
  Tasks take(const ModelShare& share);
  Tasks take(const MaskShare& share);
  Tasks take_early_shares();
  void keep_early(const MessagePtr& message);
  bool holds_versions(const Plan& plan);
  bool holds_all(const Plan& plan);
  bool setup_complete() const;
  bool is_worth_a_report(int sender);
  bool completes_group(int sender) const;
  void note_groups(std::shared_ptr<const Groups> groups);
  Task report() const;
  Task refuse(std::string reason, std::uint64_t revision = 0);

  const int number_;
  const Agreement& agreement_;
  const coding::LagrangeCode& code_;
  SecretSource& secrets_;
  const ClientOptions options_;
  std::uint64_t life_ = 0;
  Incarnation incarnation_;
  Arithmetic arithmetic_ = Arithmetic::kReal;

  LocalModel model_;
  DataSharer sharer_;
  std::uint64_t masks_dealt_[kMaskPools] = {0, 0};
  MaskStock masks_;
  ShareShelf shelf_;
  PlanGuard guard_;
  Welcome welcome_;
  std::shared_ptr<const Groups> groups_;
  std::vector<std::size_t> group_of_;  // per client: its place in groups_

  std::unique_ptr<CodedRows> rows_;                            // everybody's
  std::size_t coded_missing_ = 0;                              // (sender, row) pairs still to come
  std::set<std::tuple<int, data::Part, std::size_t>> chunks_;  // that have come
  // Where rows are fetched: per sender, what is still to be asked for and what has been.
  struct Fetching {
    std::vector<std::pair<data::Part, std::size_t>> wanted;  // last first
    std::vector<std::pair<data::Part, std::size_t>> asked;
  };
  std::vector<Fetching> fetching_;
  std::optional<Key256> row_key_;
  std::vector<std::optional<RowCheck>> row_checks_;  // of every client, under row_key_
  bool rows_line_up_ = false;
  std::vector<DataRequest> early_requests_;  // before they were found to

  std::vector<MessagePtr> before_welcome_;
  std::vector<MessagePtr> early_;  // model shares of steps that this client has not reached

  std::shared_ptr<const Plan> plan_, trained_;  // the newest, and the newest for training
  std::uint64_t gradients_received_ = 0;        // applied, or waiting for this client to compute
  std::optional<StepNumber> shared_;            // the newest version shared
  struct KeptShares {
    Version version;
    std::shared_ptr<const Shares> shares;
  };
  // Of a client apart, to be sent again to who comes back: the newest that it has shared, in
  // whatever life, and the one that plans name.
  std::vector<KeptShares> kept_;
  std::vector<bool> released_;
  bool models_requested_ = false;
  bool training_ = false;     // a plan has been seen, in this life or before
  bool catching_up_ = false;  // gradients may be of plans that it has not seen
  // Its memory is older than what it has uploaded: it answers nothing until the next epoch.
  bool sits_out_ = false;
  std::optional<int> epoch_sat_out_;
  StepNumber saved_ = 0;
  std::optional<Farewell> farewell_;
  bool uploaded_ = false;
  std::size_t lacking_ = 0;  // the versions of senders below it, as the plan names them, are held
  MessagePtr last_upload_;
  std::vector<std::function<void()>> models_to_compute_;  // in order
  std::vector<Evaluation> uploads_to_compute_;
  std::vector<std::string> refusals_;
};

}  // namespace fedvs::protocol
