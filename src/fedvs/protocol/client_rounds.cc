// A client in a round: learn from the gradient, share the model if asked, evaluate the plan,
// upload.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/client.h"

namespace fedvs::protocol {
namespace {

constexpr double kClipSlack = 1 + 1e-5;  // values are cut in double and sent as floats

}  // namespace

// An upload for a plan; none if the client has turned to another one by then.
class Client::Answer final : public Draft {
 public:
  Answer(Client& client, std::shared_ptr<const Plan> plan)
      : client_(client), plan_(std::move(plan)) {}
  MessagePtr make(int) const override { return wanted() ? client_.evaluate() : nullptr; }
  bool wanted() const override { return client_.plan_ == plan_; }

 private:
  Client& client_;
  std::shared_ptr<const Plan> plan_;
};

Tasks Client::on(const Step& step) {
  if (!may_train()) return {};
  if (step.plan && guard_.repeats_last(*step.plan)) return answer_again(*step.plan);
  Tasks tasks;
  const bool first_groups = step.groups && !groups_;
  if (step.groups && step.groups != groups_) {  // in one process, the very object again
    if (auto accepted = guard_.accept_groups(*step.groups); !accepted) {
      return one(break_off(accepted.error().message));
    }
    note_groups(step.groups);
  }
  if (step.gradient) {
    if (auto expected = check_gradient(*step.gradient); !expected) {
      if (first_groups) forget_groups();
      return one(break_off(expected.error().message));
    }
    own_.receive_one();
    tasks.push_back(learn(step.gradient, step.rate_factor));
  }
  released_ = step.released;
  if (step.share[static_cast<std::size_t>(number_)]) tasks.push_back(share_model());
  if (step.plan) accept_plan(step, tasks);
  if (first_groups && broken_off()) forget_groups();
  return tasks;
}

// Before everybody's rows are known to line up no honest server asks for anything, least of all for
// the first weights of what may be a wrong file.
bool Client::may_train() const { return training() || rows_line_up() || !options_.apart; }

// Those of a step that it has refused are not remembered.
void Client::forget_groups() {
  guard_.forget_groups();
  groups_.reset();
}

// The next round's, and of the very plan that this client accepted: a gradient of another plan
// could let some clients learn and others not. One that came back has missed plans until it accepts
// the next one; theirs must be plans that it could have accepted.
// Departs: the round of the welcome is no limit to that. It is the server's word, and rounds go on
// while a client catches up.
Status Client::check_gradient(const Gradient& gradient) const {
  const Plan& plan = gradient.plan();
  if (agreement_.rows[static_cast<int>(data::Part::kTrain)] == 0) {
    return Error{ErrorCode::kRefused, "a gradient where a trained model scores rows"};
  }
  if (plan.round != own_.received()) {
    return Error{ErrorCode::kRefused, fmt::format("a gradient of round {} after {} gradients",
                                                  plan.round, own_.received())};
  }
  const double longest = gradient.longest_row(agreement_.width);
  if (!(longest <= kClipSlack * agreement_.gradient_clip)) {
    return Error{ErrorCode::kRefused,
                 fmt::format("a gradient with a row of norm {}; train.gradient_clip is {}", longest,
                             agreement_.gradient_clip)};
  }
  const bool same = trained_ && (trained_.get() == &plan ||  // in one process, the very object
                                 plan_digest(*trained_) == plan_digest(plan));
  if (same) return {};
  if (doing::is_behind(state_)) return guard_.check_missed(plan);
  return Error{ErrorCode::kRefused,
               fmt::format("a gradient of a plan for round {} that this client has not accepted",
                           plan.round)};
}

// A repeated message is answered with the same bytes, or is still being answered.
Tasks Client::answer_again(const Plan& plan) {
  if (!last_upload_) return {};
  const std::size_t bytes = wire_bytes(plan.rows.size() * agreement_.width) + holdings_bytes();
  return one(send_now(outgoing(kServer, Channel::kUpload, bytes, last_upload_)));
}

void Client::accept_plan(const Step& step, Tasks& tasks) {
  const Plan& plan = *step.plan;
  const Digest content = content_of(step, facts());
  if (auto follows = check_head(step, content); !follows) {
    tasks.push_back(break_off(follows.error().message, plan.revision));
    return;
  }
  if (auto accepted = guard_.accept(plan, {step.frozen, step.released}); !accepted) {
    tasks.push_back(break_off(accepted.error().message, plan.revision));
    return;
  }
  move_on(doing::SeesPlan{.to_train_on = plan.training()});
  sitting_out_.see_plan_of(plan.epoch);
  if (plan_ && plan_->training() && plan_->round < plan.round) {
    // No later plan names versions older than those of a closed round.
    shelf_.forget_before(plan_->versions);
    if (const auto& own = plan_->versions[static_cast<std::size_t>(number_)]; own) {
      work_.add([this, step = own->step] { own_.local().forget_before(step); });
    }
  }
  plan_ = step.plan;
  content_ = content;
  if (plan.training()) trained_ = plan_;
  uploaded_ = false;
  lacking_ = 0;
  last_upload_ = nullptr;
  take_head(step, content, tasks);
  append(tasks, upload_if_ready());
}

bool Client::holds_versions(const Plan& plan) {
  for (; lacking_ < plan.versions.size(); ++lacking_) {  // what was there before is still there
    const auto& version = plan.versions[lacking_];
    if (version && !shelf_.holds(static_cast<int>(lacking_), *version)) return false;
  }
  return true;
}

bool Client::holds_all(const Plan& plan) {
  return rows_.usable() && seeds_.complete() && holds_versions(plan);
}

// Step 3 of 5, mask and upload.                                              Paper: Eq. (5)
//   client m -> server:  u_m = sum_n X~_nm W~_nm + O(alpha_m)
// Sends    1 message of b x h elements per client.
// Reveals  the decoded sum only, while at most T clients collude.
Tasks Client::upload_if_ready() {
  if (!plan_ || uploaded_ || sitting_out_.now() || broken_off() || !holds_all(*plan_)) return {};
  if (heads_ && !heads_->enough_agree()) return {};
  uploaded_ = true;
  const bool free = !plan_->training();
  const std::size_t masks = agreement_.masked() ? agreement_.family->elements(number_) : 0;
  const double macs = static_cast<double>(plan_->rows.size() * agreement_.width) *
                      static_cast<double>(agreement_.total_inputs() + masks);
  const std::size_t bytes = wire_bytes(plan_->rows.size() * agreement_.width) + holdings_bytes();
  Tasks tasks;
  tasks.push_back({.macs = free ? 0 : macs, .run = [=, this, plan = plan_] {
                     Effects effects;
                     if (plan_ != plan) return effects;
                     effects.sends.push_back({.to = kServer,
                                              .channel = Channel::kUpload,
                                              .bytes = bytes,
                                              .draft = std::make_shared<const Answer>(*this, plan),
                                              .round = plan->round,
                                              .free = free});
                     return effects;
                   }});
  return tasks;
}

MessagePtr Client::evaluate() {
  const auto plan = plan_;
  Upload upload{
      .from = number_, .revision = plan->revision, .tag = {}, .values = {}, .holdings = holdings()};
  if (work_.is_real()) {
    upload.tag = upload_tag(content_);
    Evaluation evaluation(agreement_, plan, rows_.coded(), shelf_, mask_, content_);
    upload.values = evaluation.result();
    work_.add(std::move(evaluation));
  }
  last_upload_ = make_message(std::move(upload));
  return last_upload_;
}

}  // namespace fedvs::protocol
