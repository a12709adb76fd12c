// A client: shares its rows once and its model whenever a step asks for it, evaluates every plan on
// everybody's shares, and learns from the broadcast gradient. One instance per process start.
//   1 share models   Eq. (3), (4)    2 evaluate   Eq. (5)    3 mask and upload    5 learn
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "fedvs/coding/lagrange.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/data_sharer.h"
#include "fedvs/protocol/local_model.h"
#include "fedvs/protocol/masks.h"
#include "fedvs/protocol/plan_guard.h"
#include "fedvs/protocol/share_shelf.h"
#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

class Client {
 public:
  // `agreement`, `code` and `secrets` outlive the client.
  Client(int number, const Agreement& agreement, const coding::LagrangeCode& code, LocalModel model,
         SecretSource& secrets);

  Tasks start();  // says hello
  Tasks receive(const MessagePtr& message);
  void set_arithmetic(Arithmetic arithmetic) { arithmetic_ = arithmetic; }

  int number() const { return number_; }
  const LocalModel& model() const { return model_; }
  LocalModel& model() { return model_; }
  Holdings holdings() const;
  const std::vector<std::string>& refusals() const { return refusals_; }

  // For the simulator's resume: the shares of this client that a replay without arithmetic left out
  // at the others, put there directly. Needs a reproducible source.
  void refill(std::span<const std::unique_ptr<Client>> others);
  MessagePtr remake_upload() { return evaluate(); }  // of the plan that it has uploaded for

 private:
  // on(message): what each kind of message makes the client do.
  Tasks on(const Welcome& welcome);
  Tasks on(const DataShare& share);
  Tasks on(const Step& step);
  Tasks on(const ReportRequest&);
  template <class Other>
  Tasks on(const Other&) {  // not for clients
    return {};
  }

  static Tasks one(Task task);
  Status check_gradient(const Gradient& gradient) const;
  Tasks answer_again(const Plan& plan);
  std::size_t holdings_bytes() const;

  Task share_data();
  Task share_model();
  MessagePtr data_chunk(data::Part part, std::size_t first, int recipient);
  std::size_t wire_bytes(std::size_t elements) const;
  Task deal(MaskPool pool);
  Task learn(std::shared_ptr<const Gradient> gradient, double rate_factor);
  Tasks upload_if_ready();
  MessagePtr evaluate();  // Eq. (5) and the masks
  field::RingMatrix named_models(const Plan& plan) const;

  void accept_plan(const Step& step, Tasks& tasks);
  Tasks take(const MessagePtr& message, const ModelShare& share);
  Tasks take(const MessagePtr& message, const MaskShare& share);
  Tasks take_early_shares();
  bool holds_all(const Plan& plan) const;
  bool setup_complete() const;
  bool completes_group(int sender) const;
  Task report() const;
  Task refuse(std::string reason, std::uint64_t revision = 0);

  const int number_;
  const Agreement& agreement_;
  const coding::LagrangeCode& code_;
  SecretSource& secrets_;
  const Incarnation incarnation_;
  Arithmetic arithmetic_ = Arithmetic::kReal;

  LocalModel model_;
  DataSharer sharer_;
  std::uint64_t masks_dealt_[kMaskPools] = {0, 0};
  MaskStock masks_;
  ShareShelf shelf_;
  PlanGuard guard_;
  Welcome welcome_;
  std::shared_ptr<const Groups> groups_;

  field::RingMatrix coded_[data::kParts];  // coded rows x D: everybody's rows side by side
  std::size_t coded_missing_ = 0;          // (sender, row) pairs still to come
  std::set<std::tuple<int, data::Part, std::size_t>> chunks_;  // that have come
  bool reported_ready_ = false;
  std::vector<MessagePtr> before_welcome_;
  std::vector<MessagePtr> early_;  // model shares of steps that this client has not reached

  std::shared_ptr<const Plan> plan_, trained_;  // the newest, and the newest for training
  std::uint64_t gradients_received_ = 0;        // applied, or waiting for this client to compute
  std::optional<StepNumber> shared_;            // the newest version shared
  std::vector<bool> released_;
  bool uploaded_ = false;
  MessagePtr last_upload_;
  std::vector<std::string> refusals_;
};

}  // namespace fedvs::protocol
