// A client comes, comes back, and remembers: models, rows, the seeds of masks and the notes of what
// was uploaded.
#include <fmt/format.h>

#include "fedvs/base/log.h"
#include "fedvs/base/secret_text.h"
#include "fedvs/protocol/client.h"
#include "fedvs/protocol/message_form.h"

namespace fedvs::protocol {
namespace {

Result<Groups> read_groups(ByteReader& in) {
  Groups groups;
  FEDVS_TRY(const bool grouped, in.flag());
  if (!grouped) return groups;
  FEDVS_TRY(const auto count, in.number<std::uint64_t>());
  for (std::uint64_t g = 0; g < count; ++g) {
    FEDVS_TRY(auto members, in.numbers<int>());
    groups.push_back(std::move(members));
  }
  return groups;
}

}  // namespace

// Seeds are drawn once per run, in the first life of it; who comes back and has lost them is told
// the run's by others.
Tasks Client::start() {
  if (!seeds_.holds_list(number_)) seeds_.make(secrets_);
  Hello hello{.from = number_, .incarnation = incarnation_};
  hello.step = own_.received();
  hello.chain = own_.local().chain(own_.step());
  hello.next_revision = guard_.next_revision();
  hello.data_complete = rows_.held().complete();
  hello.sharing = options_.sharing;
  hello.seeds = seeds_.own_list();
  hello.groups = bound_groups_.empty() && groups_ ? *groups_ : bound_groups_;
  if (options_.life_card) hello.card = options_.life_card(incarnation_);
  if (heads_) hello.head = heads_->head();
  return one(send_now(
      outgoing(kServer, Channel::kControl, sizeof(Incarnation), make_message(std::move(hello)))));
}

Tasks Client::come_back() {
  move_on(doing::ComesBack{});
  incarnation_ = Incarnation::draw(secrets_, number_, ++life_);
  welcome_ = {};
  own_.begin_life();
  plan_.reset();
  last_upload_.reset();
  uploaded_ = false;
  postponed_.forget_for_welcome();
  dealings_.begin_anew();
  rows_.comparison().begin_life();
  return start();
}

// Before training there is nothing to lose. After it, a server could make all clients believe that
// they were away.
Tasks Client::on(const Regather&) {
  if (!training()) return come_back();
  log::warning("{}: the server asks everybody to start over, though training has begun; ignored",
               agreement_.name(number_));
  return {};
}

Tasks Client::on(const Welcome& welcome) {
  if (welcome.clients[static_cast<std::size_t>(number_)] != incarnation_) return {};  // of before
  if (const auto checked = check_sharings(welcome); !checked) {
    rows_.begin_to_distrust();
    return one(refuse(checked.error().message));
  }
  rows_.drop_other_sharings(welcome, training());
  seeds_.expect(welcome.seeds);
  const Welcome before = std::exchange(welcome_, welcome);
  if (before.clients.empty()) return begin_life();
  if (before.server != welcome.server) {
    return one(break_off("another server took over in between"));
  }
  return meet_again(before);
}

Status Client::check_sharings(const Welcome& welcome) const {
  const bool trains = training() || welcome.training;
  FEDVS_TRY_STATUS(rows_.check_sharings(welcome, trains));
  if (trains || of_client(welcome.seeds, number_) == seeds_.own_list()) return {};
  return Error{ErrorCode::kRefused, "the welcome names other seeds than this client has made"};
}

Tasks Client::begin_life() {
  move_on(doing::Welcomed{.training = welcome_.training});
  if (welcome_.uploaded_below[static_cast<std::size_t>(number_)] > guard_.next_revision()) {
    log::warning("{}: this folder is older than what was uploaded from it; sitting out the epoch",
                 agreement_.name(number_));
    sit_out();
  }
  keep_named_version();
  Tasks tasks;
  if (options_.apart) {
    if (rows_line_up()) append(tasks, begin_fetching());
    // Before training whoever was started anew has still to make sure, and needs everybody's word.
    if (!rows_line_up() || !training()) append(tasks, check_rows());
  } else if (!training() && !rows_.held().complete()) {
    tasks.push_back(share_data());
  }
  // Version 0: a plan always has one to name. Where clients live apart it leaves when their rows
  // line up and that is written down: of the weights that another file gives, none has left.
  if (!training() && (!options_.apart || rows_line_up())) tasks.push_back(share_model());
  for (int n = 0; !training() && seeds_.makes_some(number_) && n < agreement_.shape.parties; ++n) {
    if (n != number_) send_seeds(n, std::span(&number_, 1), tasks);
  }
  if (training()) tasks.push_back(report());
  if (training() && !seeds_.complete()) ask_for_seeds(tasks);
  begin_telling(tasks);
  models_requested_ = training() && options_.apart;
  for (int n = 0; models_requested_ && n < agreement_.shape.parties; ++n) {
    tasks.push_back(send_now(
        outgoing(n, Channel::kControl, 16, make_message(ModelRequest{number_, shelf_.newest(n)}))));
  }
  for (const auto& message : postponed_.take_for_welcome()) append(tasks, receive(message));
  return tasks;
}

// Others have come back: what they were asked for is lost.
Tasks Client::meet_again(const Welcome& before) {
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto client = static_cast<std::size_t>(n);
    if (before.clients[client] == welcome_.clients[client]) continue;
    dealings_.meet_anew(n, training());
    if (heads_) heads_->lives_anew(n);
    rows_.fetch_anew(n, tasks);
  }
  return tasks;
}

// Once to every life of it: the very shares that everybody got, so nobody learns anything new.
Tasks Client::on(const ModelRequest& request) {
  const auto& life = welcome_.clients[static_cast<std::size_t>(request.from)];
  if (!dealings_.first_models_for(request.from, life)) return {};
  const std::size_t bytes = wire_bytes(agreement_.inputs(number_) * agreement_.width);
  Tasks tasks;
  for (const auto& [version, shares] : own_.kept()) {
    if (request.held == HeldVersion{version.step, version.incarnation.tag()}) continue;
    tasks.push_back(send_now(outgoing(request.from, Channel::kShare, bytes,
                                      model_message(version, shares, request.from))));
  }
  return tasks;
}

// The version of its model that plans name may have been rounded after the checkpoint that this
// life began from. It is rounded again when its step is reached: the same weights with the same
// randomness, and so the very integers that were shared. Scoring needs them.
void Client::keep_named_version() {
  if (welcome_.named.empty()) return;
  const auto& named = welcome_.named[static_cast<std::size_t>(number_)];
  if (!named || *named != own_.step()) return;
  // One that does not fit is not shared either: take_withdrawal() tells.
  work_.add([this, step = *named] { static_cast<void>(own_.round(step)); });
}

MessagePtr Client::last_report() const {
  return make_message(Report{.from = number_, .holdings = holdings(), .finished = true});
}

Tasks Client::on(const Farewell& farewell) {
  move_on(farewell);
  return {};
}

// ---- checkpoints

std::string Client::save() const {
  const auto model = SecretText::take(own_.local().save());
  const std::string notes = guard_.save();
  ByteWriter out;
  out.reserve(model.view().size() + notes.size() + 4096);
  out.text(model.view());
  out.text(notes);
  out.flag(groups_ != nullptr);
  if (groups_) {
    out.number<std::uint64_t>(groups_->size());
    for (const auto& group : *groups_) out.numbers(group);
  }
  out.flag(training());
  out.flag(rows_line_up());
  sitting_out_.save(out);
  rows_.held().save(out);
  out.text(heads_ ? heads_->save() : std::string());
  return out.take();
}

Status Client::restore(std::string_view bytes) {
  ByteReader in(bytes);
  FEDVS_TRY(auto model, in.text());
  const Status restored = own_.restore(model);
  wipe_text(model);
  FEDVS_TRY_STATUS(restored);
  FEDVS_TRY(const auto notes, in.text());
  ByteReader guard(notes);
  FEDVS_TRY_STATUS(guard_.restore(guard));
  FEDVS_TRY(auto groups, read_groups(in));
  if (!groups.empty()) {
    FEDVS_TRY_STATUS(guard_.accept_groups(groups));
    note_groups(std::make_shared<const Groups>(std::move(groups)));
  }
  FEDVS_TRY(const bool trained, in.flag());
  if (trained) move_on(doing::SeesPlan{.to_train_on = false});
  FEDVS_TRY(const bool line_up, in.flag());
  if (line_up) rows_.comparison().find_to_line_up();
  FEDVS_TRY_STATUS(sitting_out_.restore(in));
  FEDVS_TRY_STATUS(rows_.held().restore(in));
  FEDVS_TRY(const auto heads, in.text());
  ByteReader chain(heads);
  if (heads_) FEDVS_TRY_STATUS(heads_->restore(chain));
  return in.finish();
}

Result<Groups> saved_groups(std::string_view saved) {
  ByteReader in(saved);
  FEDVS_TRY(auto model, in.text());
  wipe_text(model);
  FEDVS_TRY(const auto notes, in.text());
  static_cast<void>(notes);
  return read_groups(in);
}

std::vector<MessagePtr> Client::held_models() const {
  std::vector<MessagePtr> held;
  shelf_.for_each([&](int sender, const Version& version, const SharePtr& values) {
    if (version.step > own_.step()) return;
    held.push_back(
        make_message(ModelShare{sender, version, own_.local().chain(version.step), values}));
  });
  return held;
}

void Client::recall_model(const ModelShare& share) {
  if (!check_form(agreement_, work_.arithmetic(), share)) return;
  if (share.version.step > own_.step()) return postponed_.keep_early(make_message(share));
  if (share.chain != own_.local().chain(share.version.step)) return;
  shelf_.add(share.from, share.version, share.values);
}

Status Client::recall_plan(const Step& step) {
  FEDVS_TRY_STATUS(check_form(agreement_, work_.arithmetic(), step));
  const PlanGuard::Exceptions exceptions{step.frozen, step.released};
  PlanGuard judged = guard_;  // what it refuses leaves nothing behind
  if (step.groups) FEDVS_TRY_STATUS(judged.accept_groups(*step.groups));
  FEDVS_TRY_STATUS(judged.accept(*step.plan, exceptions));
  move_on(doing::SeesPlan{.to_train_on = false});
  if (step.groups && guard_.accept_groups(*step.groups)) note_groups(step.groups);
  FEDVS_TRY_STATUS(guard_.accept(*step.plan, exceptions));
  if (heads_ && step.head) heads_->recall(*step.head, Digest{});  // signed itself: none needed
  return {};
}

Status Client::recall_seeds(std::string_view bytes) {
  ByteReader in(bytes);
  return seeds_.restore(in);
}

RunFacts Client::facts() const { return {options_.run, welcome_.sharings, welcome_.seeds}; }

}  // namespace fedvs::protocol
