// A client in a round: learn from the gradient, share the model if asked, evaluate the plan,
// upload.
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/field/matmul.h"
#include "fedvs/protocol/client.h"

namespace fedvs::protocol {

Tasks Client::on(const Step& step) {
  if (step.plan && guard_.repeats_last(*step.plan)) return answer_again(*step.plan);
  Tasks tasks;
  if (step.gradient) {
    if (auto expected = check_gradient(*step.gradient); !expected) {
      return one(refuse(expected.error().message));
    }
    ++gradients_received_;
    tasks.push_back(learn(step.gradient, step.rate_factor));
  }
  if (step.groups) {
    if (auto accepted = guard_.accept_groups(*step.groups); !accepted) {
      return one(refuse(accepted.error().message));
    }
    groups_ = step.groups;
  }
  released_ = step.released;
  if (step.share[static_cast<std::size_t>(number_)]) tasks.push_back(share_model());
  if (step.plan) accept_plan(step, tasks);
  return tasks;
}

// The next round's, and of the very plan that this client accepted: a gradient of another plan
// could let some clients learn and others not.
Status Client::check_gradient(const Gradient& gradient) const {
  const Plan& plan = gradient.plan();
  if (plan.round != gradients_received_) {
    return Error{ErrorCode::kRefused, fmt::format("a gradient of round {} after {} gradients",
                                                  plan.round, gradients_received_)};
  }
  if (!trained_ || plan_digest(*trained_) != plan_digest(plan)) {
    return Error{ErrorCode::kRefused,
                 fmt::format("a gradient of a plan for round {} that this client has not accepted",
                             plan.round)};
  }
  return {};
}

// A repeated message is answered with the same bytes, or is still being answered.
Tasks Client::answer_again(const Plan& plan) {
  if (!last_upload_) return {};
  const std::size_t bytes = wire_bytes(plan.rows.size() * agreement_.width) + holdings_bytes();
  return one(send_now(outgoing(kServer, Channel::kUpload, bytes, last_upload_)));
}

void Client::accept_plan(const Step& step, Tasks& tasks) {
  const Plan& plan = *step.plan;
  if (auto accepted = guard_.accept(plan, {step.frozen, step.released}, masks_); !accepted) {
    tasks.push_back(refuse(accepted.error().message, plan.revision));
    return;
  }
  if (plan_ && plan_->training() && plan_->round < plan.round) {
    // No later plan names versions older than those of a closed round.
    shelf_.forget_before(plan_->versions);
    if (const auto& own = plan_->versions[static_cast<std::size_t>(number_)]; own) {
      model_.forget_before(own->step);
    }
  }
  plan_ = step.plan;
  if (plan.training()) trained_ = plan_;
  uploaded_ = false;
  last_upload_ = nullptr;
  masks_.drop_spent(plan.masks);
  for (const auto& mask : plan.masks) {
    if (mask.dealer == number_) tasks.push_back(deal(mask.pool));
  }
  append(tasks, upload_if_ready());
}

bool Client::holds_all(const Plan& plan) const {
  if (coded_missing_ != 0) return false;
  for (std::size_t n = 0; n < plan.versions.size(); ++n) {
    const auto& version = plan.versions[n];
    if (version && shelf_.find(static_cast<int>(n), *version) == nullptr) return false;
  }
  return std::ranges::all_of(plan.masks, [&](const MaskId& id) { return masks_.holds(id); });
}

// Step 3 of 5, mask and upload.                                              Paper: Eq. (5)
//   client m -> server:  u_m = sum_n X~_nm W~_nm + sum_d O_d(alpha_m)
// Sends    1 message of b x h elements per client.
// Reveals  the decoded sum only, while at most T clients collude.
Tasks Client::upload_if_ready() {
  if (!plan_ || uploaded_ || !holds_all(*plan_)) return {};
  uploaded_ = true;
  const bool free = !plan_->training();
  const double macs = static_cast<double>(plan_->rows.size() * agreement_.total_inputs()) *
                      static_cast<double>(agreement_.width);
  const std::size_t bytes = wire_bytes(plan_->rows.size() * agreement_.width) + holdings_bytes();
  auto current = [this, plan = plan_] { return plan_ == plan; };
  Tasks tasks;
  tasks.push_back({.macs = free ? 0 : macs, .run = [=, this] {
                     Effects effects;
                     if (!current()) return effects;
                     effects.sends.push_back(
                         {.to = kServer,
                          .channel = Channel::kUpload,
                          .bytes = bytes,
                          .make = [=, this] { return current() ? evaluate() : nullptr; },
                          .wanted = current,
                          .round = plan_->round,
                          .free = free});
                     return effects;
                   }});
  return tasks;
}

field::RingMatrix Client::named_models(const Plan& plan) const {
  field::RingMatrix models(agreement_.ring, agreement_.width, agreement_.total_inputs());
  for (std::size_t n = 0; n < plan.versions.size(); ++n) {
    if (!plan.versions[n]) continue;  // dropped: its columns meet zeros
    const int sender = static_cast<int>(n);
    models.paste_flat(*shelf_.find(sender, *plan.versions[n]), 0, agreement_.width,
                      agreement_.first_input(sender), agreement_.inputs(sender));
  }
  return models;
}

MessagePtr Client::evaluate() {
  const Plan& plan = *plan_;
  Upload upload{.from = number_, .revision = plan.revision, .values = {}, .holdings = holdings()};
  if (arithmetic_ == Arithmetic::kReal) {
    upload.values =
        field::multiply(coded_[static_cast<int>(plan.part)], plan.rows, named_models(plan));
    for (const auto& mask : plan.masks) field::add_into(upload.values, masks_.share(mask));
  }
  last_upload_ = make_message(std::move(upload));
  return last_upload_;
}

}  // namespace fedvs::protocol
