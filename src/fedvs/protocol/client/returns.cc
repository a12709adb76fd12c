// A client comes, and comes back: hello, welcome, and what it and the others lack then.
#include "fedvs/base/log.h"
#include "fedvs/protocol/client/client.h"
#include "fedvs/protocol/costs.h"

namespace fedvs::protocol {

// Seeds are drawn once per run, in the first life of it; who comes back and has lost them is told
// the run's by others.
Tasks Client::start() {
  if (!seeds_.book().holds_list(number_)) seeds_.book().make(secrets_);
  Hello hello{.from = number_, .incarnation = life_.incarnation()};
  hello.step = own_.received();
  hello.chain = *own_.local().chain().find(own_.step());
  hello.sharing = options_.sharing;
  hello.seeds = seeds_.book().own_list();
  hello.groups = plans_.groups().to_tell();
  if (options_.life_card) hello.card = options_.life_card(life_.incarnation());
  if (plans_.heads()) hello.head = plans_.heads()->head();
  return one(send_now(
      outgoing(kServer, Lane::kControl, sizeof(Incarnation), make_message(std::move(hello)))));
}

Tasks Client::come_back() {
  move_on(doing::ComesBack{});
  life_.begin_anew(secrets_);
  own_.begin_life();
  plans_.open().begin_life();
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
  if (!life_.is_met_by(welcome)) return {};
  if (const auto checked = check_sharings(welcome); !checked) {
    rows_.begin_to_distrust();
    return one(refuse(checked.error().message));
  }
  rows_.drop_other_sharings(welcome, training());
  seeds_.book().expect(welcome.seeds);
  const Welcome before = life_.take(welcome);
  if (before.clients.empty()) return begin_life();
  if (before.server != welcome.server) {
    return one(break_off("another server took over in between"));
  }
  return meet_again(before);
}

Status Client::check_sharings(const Welcome& welcome) const {
  const bool trains = training() || welcome.training;
  FEDVS_TRY_STATUS(rows_.check_sharings(welcome, trains));
  if (trains || of_client(welcome.seeds, number_) == seeds_.book().own_list()) return {};
  return Error{ErrorCode::kRefused, "the welcome names other seeds than this client has made"};
}

Tasks Client::begin_life() {
  move_on(doing::Welcomed{.training = life_.welcome().training});
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
  if (!training()) seeds_.tell_own(tasks);
  if (training()) tasks.push_back(report());
  if (training() && !seeds_.book().complete()) seeds_.ask(tasks);
  begin_telling(tasks);
  life_.ask_for_models(training() && options_.apart);
  for (int n = 0; life_.asks_for_models() && n < agreement_.shape.parties; ++n) {
    tasks.push_back(send_now(
        outgoing(n, Lane::kControl, 16, make_message(ModelRequest{number_, shelf_.newest(n)}))));
  }
  for (const auto& message : postponed_.take_for_welcome()) append(tasks, receive(message));
  return tasks;
}

// Others have come back: what they were asked for is lost.
Tasks Client::meet_again(const Welcome& before) {
  Tasks tasks;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (of_client(before.clients, n) == life_.of(n)) continue;
    dealings_.meet_anew(n, training());
    if (plans_.heads()) plans_.heads()->lives_anew(n);
    rows_.fetch_anew(n, tasks);
  }
  return tasks;
}

// Once to every life of it: the very shares that everybody got, so nobody learns anything new.
Tasks Client::on(const ModelRequest& request) {
  const auto& life = life_.of(request.from);
  if (!dealings_.first_models_for(request.from, life)) return {};
  const std::size_t bytes = model_share_bytes(agreement_, number_);
  Tasks tasks;
  for (const auto& shared : own_.kept()) {
    const Version& version = shared.version;
    if (request.held == HeldVersion{version.step, version.incarnation.short_id()}) continue;
    tasks.push_back(
        send_now(outgoing(request.from, Lane::kShare, bytes, model_message(shared, request.from))));
  }
  return tasks;
}

// The version of its model that plans name may have been rounded after the checkpoint that this
// life began from. It is rounded again when its step is reached: the same weights with the same
// randomness, and so the very integers that were shared. Scoring needs them.
void Client::keep_named_version() {
  if (life_.welcome().named.empty()) return;
  const auto& named = of_client(life_.welcome().named, number_);
  if (!named || *named != own_.step()) return;
  // One that does not fit is not shared either: take_withdrawal() tells.
  work_->add([this, step = *named] { static_cast<void>(own_.round(step)); });
}

MessagePtr Client::last_report() const {
  return make_message(Report{.from = number_, .holdings = holdings(), .finished = true});
}

Tasks Client::on(const Farewell& farewell) {
  move_on(farewell);
  return {};
}

}  // namespace fedvs::protocol
