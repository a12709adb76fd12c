// A client comes, comes back, and remembers. Masks live as long as the incarnations that they are
// bound to; models, rows and the notes of what was uploaded outlive them.
#include <fmt/format.h>

#include "fedvs/base/log.h"
#include "fedvs/protocol/client.h"
#include "fedvs/protocol/message_form.h"

namespace fedvs::protocol {

Tasks Client::start() {
  return one(send_now(outgoing(kServer, Channel::kControl, sizeof(Incarnation),
                               make_message(Hello{.from = number_,
                                                  .incarnation = incarnation_,
                                                  .step = gradients_received_,
                                                  .chain = model_.chain(model_.step()),
                                                  .next_revision = guard_.next_revision(),
                                                  .data_complete = coded_missing_ == 0}))));
}

Tasks Client::come_back() {
  incarnation_ = Incarnation::draw(secrets_, number_, ++life_);
  welcome_ = {};
  masks_.forget_all();
  for (auto& dealt : masks_dealt_) dealt = 0;
  shared_.reset();
  plan_.reset();
  last_upload_.reset();
  uploaded_ = false;
  before_welcome_.clear();
  row_checks_.assign(row_checks_.size(), std::nullopt);
  return start();
}

Tasks Client::on(const Welcome& welcome) {
  if (welcome.clients[static_cast<std::size_t>(number_)] != incarnation_) return {};  // of before
  const Welcome before = std::exchange(welcome_, welcome);
  guard_.meet(welcome);
  if (before.clients.empty()) return begin_life();
  if (before.server != welcome.server) return one(refuse("another server took over in between"));
  return meet_again(before);
}

Tasks Client::begin_life() {
  training_ = training_ || welcome_.training;
  catching_up_ = training_;
  if (training_) masks_.forget_all();
  if (welcome_.uploaded_below[static_cast<std::size_t>(number_)] > guard_.next_revision()) {
    log::warning("{}: this folder is older than what was uploaded from it; sitting out the epoch",
                 agreement_.name(number_));
    sits_out_ = true;
    epoch_sat_out_.reset();
  }
  Tasks tasks;
  if (options_.apart) {
    append(tasks, rows_line_up_ ? begin_fetching() : check_rows());
  } else if (!training_ && coded_missing_ > 0) {
    tasks.push_back(share_data());
  }
  if (!training_) tasks.push_back(share_model());  // version 0: a plan always has one to name
  deal_stock(tasks);
  if (training_) tasks.push_back(report());
  models_requested_ = training_ && options_.apart;
  for (int n = 0; models_requested_ && n < agreement_.shape.parties; ++n) {
    tasks.push_back(send_now(
        outgoing(n, Channel::kControl, 16, make_message(ModelRequest{number_, shelf_.newest(n)}))));
  }
  for (const auto& message : std::exchange(before_welcome_, {})) append(tasks, receive(message));
  return tasks;
}

// Others have come back: they hold none of the masks that were dealt so far, and their own are
// void.
Tasks Client::meet_again(const Welcome& before) {
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto client = static_cast<std::size_t>(n);
    if (before.clients[client] == welcome_.clients[client]) continue;
    masks_.forget_dealer(n);
    auto& fetching = fetching_[client];  // what it was asked for is lost
    for (const auto& chunk : std::exchange(fetching.asked, {})) fetching.wanted.push_back(chunk);
    fetch_more(n, tasks);
  }
  deal_stock(tasks);
  return tasks;
}

// The very shares that everybody got: nobody learns anything new.
Tasks Client::on(const ModelRequest& request) {
  const std::size_t bytes = wire_bytes(agreement_.inputs(number_) * agreement_.width);
  Tasks tasks;
  for (const auto& [version, shares] : kept_) {
    if (request.held == HeldVersion{version.step, version.incarnation.tag()}) continue;
    tasks.push_back(send_now(outgoing(request.from, Channel::kShare, bytes,
                                      model_message(version, shares, request.from))));
  }
  return tasks;
}

void Client::keep(const Version& version, std::shared_ptr<const Shares> shares) {
  std::erase_if(kept_, [&](const KeptShares& kept) {
    return !trained_ || trained_->versions[static_cast<std::size_t>(number_)] != kept.version;
  });
  kept_.push_back({version, std::move(shares)});
}

void Client::deal_stock(Tasks& tasks) {
  for (int i = 0; agreement_.masked && i < agreement_.mask_stock; ++i) {
    tasks.push_back(deal(MaskPool::kTraining));
    tasks.push_back(deal(MaskPool::kEvaluation));
  }
}

Tasks Client::on(const Farewell& farewell) {
  farewell_ = farewell;
  return {};
}

// ---- checkpoints

std::string Client::save() const {
  ByteWriter out;
  out.text(model_.save());
  out.text(guard_.save());
  out.flag(groups_ != nullptr);
  if (groups_) {
    out.number<std::uint64_t>(groups_->size());
    for (const auto& group : *groups_) out.numbers(group);
  }
  out.flag(training_);
  out.flag(rows_line_up_);
  return out.take();
}

Status Client::restore(const std::string& bytes) {
  ByteReader in(bytes);
  FEDVS_TRY(const auto model, in.text());
  FEDVS_TRY_STATUS(model_.restore(model));
  gradients_received_ = saved_ = model_.step();
  FEDVS_TRY(const auto notes, in.text());
  ByteReader guard(notes);
  FEDVS_TRY_STATUS(guard_.restore(guard));
  FEDVS_TRY(const bool grouped, in.flag());
  if (grouped) {
    Groups groups;
    FEDVS_TRY(const auto count, in.number<std::uint64_t>());
    for (std::uint64_t g = 0; g < count; ++g) {
      FEDVS_TRY(auto members, in.numbers<int>());
      groups.push_back(std::move(members));
    }
    FEDVS_TRY_STATUS(guard_.accept_groups(groups));
    note_groups(std::make_shared<const Groups>(std::move(groups)));
  }
  FEDVS_TRY(training_, in.flag());
  FEDVS_TRY(rows_line_up_, in.flag());
  return in.finish();
}

std::vector<MessagePtr> Client::held_models() const {
  std::vector<MessagePtr> held;
  shelf_.for_each([&](int sender, const Version& version, const SharePtr& values) {
    if (version.step > model_.step()) return;
    held.push_back(make_message(ModelShare{sender, version, model_.chain(version.step), values}));
  });
  return held;
}

void Client::recall_model(const ModelShare& share) {
  if (!check_form(agreement_, arithmetic_, share)) return;
  if (share.version.step > model_.step()) return keep_early(make_message(share));
  if (share.chain != model_.chain(share.version.step)) return;
  shelf_.add(share.from, share.version, share.values);
}

void Client::recall_plan(const Step& step) {
  training_ = true;
  if (step.groups && guard_.accept_groups(*step.groups)) note_groups(step.groups);
  guard_.recall(*step.plan, {step.frozen, step.released});
}

void Client::recall_rows(int sender, data::Part part, std::size_t first_row) {
  if (!chunks_.emplace(sender, part, first_row).second) return;
  coded_missing_ -= DataSharer::chunk_rows(agreement_, part, first_row);
}

}  // namespace fedvs::protocol
