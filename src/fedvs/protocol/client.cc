#include "fedvs/protocol/client.h"

#include <algorithm>
#include <utility>

#include "fedvs/base/log.h"
#include "fedvs/field/matmul.h"

namespace fedvs::protocol {
namespace {

// Wire size of holdings: a step and two counts per party, four bytes each.
std::size_t holdings_bytes(const Agreement& a) {
  return 12 * static_cast<std::size_t>(a.shape.parties);
}

}  // namespace

Client::Client(int number, const Agreement& agreement, const coding::LagrangeCode& code,
               LocalModel model, SecretSource& secrets)
    : number_(number),
      agreement_(agreement),
      code_(code),
      secrets_(secrets),
      incarnation_(Incarnation::draw(secrets, number)),
      model_(std::move(model)),
      sharer_(agreement, code, secrets.stream(Purpose::kDataMask, number, 0)),
      masks_(agreement.shape.parties),
      shelf_(agreement.shape.parties),
      guard_(agreement) {
  for (int part = 0; part < data::kParts; ++part) {
    const std::size_t rows = agreement.coded_rows(static_cast<data::Part>(part));
    coded_[part] = field::RingMatrix(agreement.ring, rows, agreement.total_inputs());
    coded_missing_ += rows * static_cast<std::size_t>(agreement.shape.parties);
  }
}

Tasks Client::start() {
  Tasks tasks;
  tasks.push_back(send_now(outgoing(kServer, Channel::kControl, sizeof(Incarnation),
                                    make_message(Hello{number_, incarnation_}))));
  return tasks;
}

Tasks Client::receive(const MessagePtr& message) {
  if (welcome_.clients.empty() && !std::holds_alternative<Welcome>(*message)) {
    before_welcome_.push_back(message);  // somebody was welcomed sooner and has shared already
    return {};
  }
  if (const auto* share = std::get_if<ModelShare>(message.get())) {
    if (share->version.step <= model_.step()) return take(message, *share);
    early_.push_back(message);  // its gradient is still on the way to us
    return {};
  }
  if (const auto* share = std::get_if<MaskShare>(message.get())) return take(message, *share);
  return std::visit([this](const auto& m) { return on(m); }, *message);
}

Holdings Client::holdings() const {
  Holdings held;
  for (int n = 0; n < agreement_.shape.parties; ++n) held.newest_step.push_back(shelf_.newest(n));
  held.masks[0] = masks_.arrived(MaskPool::kTraining);
  held.masks[1] = masks_.arrived(MaskPool::kEvaluation);
  held.data_complete = coded_missing_ == 0;
  return held;
}

Task Client::report() const {
  return send_now(outgoing(kServer, Channel::kControl, holdings_bytes(agreement_),
                           make_message(Report{number_, holdings()})));
}

Task Client::refuse(std::string reason, std::uint64_t revision) {
  log::warning("client {} refuses: {}", number_ + 1, reason);
  refusals_.push_back(reason);
  const std::size_t bytes = reason.size();
  return send_now(outgoing(kServer, Channel::kControl, bytes,
                           make_message(Refusal{number_, revision, std::move(reason)})));
}

// ---- before training

Tasks Client::on(const Welcome& welcome) {
  if (welcome.clients.size() != static_cast<std::size_t>(agreement_.shape.parties)) {
    Tasks tasks;
    tasks.push_back(refuse("a welcome with another number of clients"));
    return tasks;
  }
  welcome_ = welcome;
  guard_.meet(welcome);
  Tasks tasks;
  tasks.push_back(share_data());
  tasks.push_back(share_model());  // version 0, so that a plan always has one to name
  for (int i = 0; agreement_.masked && i < agreement_.mask_stock; ++i) {
    tasks.push_back(deal(MaskPool::kTraining));
    tasks.push_back(deal(MaskPool::kEvaluation));
  }
  for (const auto& message : std::exchange(before_welcome_, {})) append(tasks, receive(message));
  return tasks;
}

bool Client::setup_complete() const {
  if (coded_missing_ != 0) return false;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!shelf_.newest(n)) return false;
  }
  if (!agreement_.masked) return true;
  const auto stock = static_cast<std::uint64_t>(agreement_.mask_stock);
  for (MaskPool pool : {MaskPool::kTraining, MaskPool::kEvaluation}) {
    for (std::uint64_t count : masks_.arrived(pool)) {
      if (count < stock) return false;
    }
  }
  return true;
}

Tasks Client::on(const DataShare& share) {
  Tasks tasks;
  auto& coded = coded_[static_cast<int>(share.part)];
  const bool skipped = share.values.empty();
  const std::size_t rows = std::min(DataSharer::kChunkRows, coded.rows() - share.first_row);
  if (!skipped) {
    coded.paste_flat(share.values, share.first_row, rows, agreement_.first_input(share.from),
                     agreement_.inputs(share.from));
  }
  coded_missing_ -= rows;
  if (setup_complete()) tasks.push_back(report());
  return tasks;
}

// ---- shares of models and masks

Tasks Client::take(const MessagePtr& message, const ModelShare& share) {
  Tasks tasks;
  if (share.chain != model_.chain(share.version.step)) {
    tasks.push_back(refuse(fmt::format("client {}'s model of step {} has seen other gradients",
                                       share.from + 1, share.version.step)));
    return tasks;
  }
  const bool known =
      share.version.incarnation == welcome_.clients[static_cast<std::size_t>(share.from)];
  if (!known || !shelf_.add(share.from, share.version, {message, &share.values})) {
    tasks.push_back(refuse(fmt::format("client {} shared step {} twice, or before a restart",
                                       share.from + 1, share.version.step)));
    return tasks;
  }
  if (!plan_ ? setup_complete() : completes_group(share.from)) tasks.push_back(report());
  append(tasks, upload_if_ready());
  return tasks;
}

// Whether the share that just came was the last of its group's for that step. During warm-up every
// share is reported: the server sorts the clients by how late theirs come.
bool Client::completes_group(int sender) const {
  if (!groups_) return true;
  const auto newest = shelf_.newest(sender);
  for (const auto& group : *groups_) {
    if (std::ranges::find(group, sender) == group.end()) continue;
    return std::ranges::all_of(group, [&](int n) { return shelf_.newest(n) == newest; });
  }
  return true;
}

Tasks Client::take(const MessagePtr& message, const MaskShare& share) {
  Tasks tasks;
  const auto& known = welcome_.clients[static_cast<std::size_t>(share.id.dealer)];
  if (share.recipient != incarnation_ || share.id.dealer_incarnation != known ||
      share.id.server_incarnation != welcome_.server) {
    tasks.push_back(refuse(
        fmt::format("a mask of dealer {} bound to another incarnation", share.id.dealer + 1)));
    return tasks;
  }
  masks_.add(share.id, {message, &share.values});
  if (!plan_ && setup_complete()) tasks.push_back(report());
  append(tasks, upload_if_ready());
  return tasks;
}

Tasks Client::on(const ReportRequest&) {
  Tasks tasks;
  tasks.push_back(report());
  return tasks;
}

// ---- a step: learn from the gradient, share the model if asked, evaluate the plan

Tasks Client::on(const Step& step) {
  Tasks tasks;
  if (step.gradient) {
    if (step.gradient->plan().round != model_.step()) {
      tasks.push_back(refuse(fmt::format("a gradient of round {} after {} steps",
                                         step.gradient->plan().round, model_.step())));
      return tasks;
    }
    tasks.push_back(learn(step.gradient, step.rate_factor));
  }
  if (step.groups && !groups_) {
    if (auto accepted = guard_.accept_groups(*step.groups); !accepted) {
      tasks.push_back(refuse(accepted.error().message));
      return tasks;
    }
    groups_ = step.groups;
  } else if (step.groups && *step.groups != *groups_) {
    tasks.push_back(refuse("groups changed during the run; they are fixed once"));
    return tasks;
  }
  if (step.share[static_cast<std::size_t>(number_)]) tasks.push_back(share_model());
  if (step.plan) accept_plan(step, tasks);
  return tasks;
}

void Client::accept_plan(const Step& step, Tasks& tasks) {
  const Plan& plan = *step.plan;
  if (guard_.repeats_last(plan)) {  // answered with the same bytes, or still being answered
    if (!last_upload_) return;
    const std::size_t bytes = wire_bytes(plan.rows.size() * agreement_.width);
    tasks.push_back(send_now(outgoing(kServer, Channel::kUpload, bytes, last_upload_)));
    return;
  }
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
  uploaded_ = false;
  last_upload_ = nullptr;
  masks_.drop_spent(plan.masks);
  for (const auto& mask : plan.masks) {
    if (mask.dealer == number_) tasks.push_back(deal(mask.pool));
  }
  append(tasks, upload_if_ready());
}

// ---- evaluate, mask and upload

bool Client::holds_all(const Plan& plan) const {
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
  const std::size_t bytes =
      wire_bytes(plan_->rows.size() * agreement_.width) + holdings_bytes(agreement_);
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
