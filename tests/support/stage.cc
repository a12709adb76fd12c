#include "tests/support/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace fedvs::testing {

using namespace protocol;  // NOLINT: a test's

Prng LivedSecrets::stream(Purpose purpose, int party, std::uint64_t round) {
  return (same_in_every_life(purpose) ? kept_ : fresh_).stream(purpose, party, round);
}

namespace {

Agreement agreement_of(const Job& job, const data::PreparedJob& prepared) {
  std::vector<int> features;
  for (const auto& client : prepared.clients) {
    features.push_back(static_cast<int>(client.features[0].cols));
  }
  return agree(job, features,
               {prepared.labels[0].size(), prepared.labels[1].size(), prepared.labels[2].size()},
               prepared.classes)
      .value();
}

}  // namespace

Status StagedGradients::append(const SentGradient& sent) {
  if (!full_from || sent.gradient->plan().round < *full_from) return kept_.append(sent);
  return Error{ErrorCode::kBadFile, "cannot write to the gradients: no space left"};
}

Stage::Stage(const Sets& sets, double wait_for_return)
    : job_(small_job(joined({"protocol.equivocation=detect"}, sets))),
      prepared_(prepared(job_)),
      agreement_(agreement_of(job_, prepared_)),
      code_(coding::LagrangeCode::create(agreement_.ring, agreement_.shape).value()),
      clients_(prepared_.clients.size()),
      waiting_(clients_.size()),
      frozen_(clients_.size(), false),
      cut_off_(clients_.size(), false),
      folders_(clients_.size()),
      rows_(clients_.size(), "rows"),
      sharings_(clients_.size()),
      groups_(clients_.size()),
      wait_for_return_(wait_for_return) {}

Stage::~Stage() = default;

void Stage::start() {
  start_server();
  for (int n = 0; n < agreement_.shape.parties; ++n) start_client(n);
}

Status Stage::make_server() {
  const auto seed = static_cast<std::uint64_t>(job_.sim.seed);
  secrets_.push_back(std::make_unique<LivedSecrets>(seed, lives_++));
  auto central = model::make_central(job_, prepared_.classes, seed).value();
  if (!server_folder_.central.empty()) central->load(server_folder_.central).value();
  learner_ = std::make_unique<Learner>(agreement_, std::move(central), prepared_.labels[0],
                                       prepared_.labels[1], prepared_.labels[2]);
  server_ = std::make_unique<Server>(
      agreement_, code_, *learner_, *secrets_.back(), recorder,
      ServerSettings{.batch_seed = seed,
                     .lr_decay = job_.train.lr_decay,
                     .archive = &server_folder_.gradients,
                     .max_catch_up = max_catch_up,
                     .wait_for_return = wait_for_return_,
                     .groups = own_groups_,
                     .run = run_,
                     .heads = signs_ ? &server_folder_.heads : nullptr,
                     .sign = [this](std::string_view text) { return server_key_.sign(text); },
                     .verify = verify_});
  if (server_folder_.notes.empty()) return {};
  auto restored = server_->restore(now_, server_folder_.notes);
  if (!restored) server_.reset();
  return restored;
}

void Stage::start_server() {
  make_server().value();
  recall_learned();
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (alive(n) && !frozen_[index(n)]) come_back(n);
    if (alive(n) && frozen_[index(n)]) cut_off_[index(n)] = true;  // it will notice when it wakes
  }
}

void Stage::start_client(int n) {
  secrets_.push_back(
      std::make_unique<LivedSecrets>(static_cast<std::uint64_t>(job_.sim.seed), lives_++));
  auto& secrets = *secrets_.back();
  const auto& width = agreement_.clients[index(n)];
  Prng random = secrets.stream(Purpose::kInitialWeights, n, 0);
  auto network = model::PolynomialNetwork::initial(width.features, width.degree, agreement_.width,
                                                   job_.model.init_scale, random);
  auto optimizer =
      model::Optimizer::create(model::client_optimizer(job_), network.weights.size()).value();
  LocalModel local(agreement_, n,
                   LocalModel::own_rows(agreement_, n, prepared_.clients[index(n)].features),
                   std::move(network), std::move(optimizer));
  ClientOptions options{
      .apart = true,
      .row_count = 174,
      .row_digest =
          [this, n](const Key256& key) { return Hasher().add(key).add(rows_[index(n)]).finish(); },
      .sharing = sharings_[index(n)],
      .groups = groups_[index(n)],
      .run = n == astray_ ? Hasher().add("another run").finish() : run_,
      .verify = signs_ ? verify_ : VerifyHead()};
  auto& folder = folders_[index(n)];
  auto rows = stored_rows(agreement_).value();
  for (const auto& [where, message] : folder.rows) {
    const auto& share = std::get<DataShare>(*message);
    rows->put(share.part, share.from, share.first_row,
              DataSharer::chunk_rows(agreement_, share.part, share.first_row), *share.values);
  }
  auto client = std::make_unique<Client>(n, agreement_, code_, std::move(local), std::move(rows),
                                         secrets, options);
  if (!folder.seeds.empty()) client->recall_seeds(folder.seeds).value();
  if (!folder.checkpoint.empty()) client->restore(folder.checkpoint).value();
  for (const auto& model : folder.models) client->recall_model(std::get<ModelShare>(*model));
  for (const auto& [sender, newest] : folder.newest_models) {
    for (const auto& model : newest) client->recall_model(std::get<ModelShare>(*model));
  }
  // As in a party's folder, what was noted twice is dropped, and everything else must pass.
  for (const auto& step : folder.plans) {
    const auto recalled = client->recall_plan(std::get<Step>(*step));
    const std::string why = recalled ? "" : recalled.error().message;
    EXPECT_TRUE(recalled || why.find("never goes back") != why.npos) << why;
  }
  for (const auto& [where, message] : folder.rows) {
    const auto& sharing = std::get<DataShare>(*message).sharing;
    std::apply([&](auto... chunk) { client->recall_rows(chunk..., sharing); }, where);
  }
  clients_[index(n)] = std::move(client);
  submit(n, clients_[index(n)]->start());
}

void Stage::come_back(int n) {
  if (server_) server_->lost(now_, n);
  submit(n, clients_[index(n)]->come_back());
}

void Stage::kill_client(int n, bool noticed) {
  if (server_ && noticed) server_->lost(now_, n);
  clients_[index(n)].reset();
  waiting_[index(n)].clear();
  frozen_[index(n)] = cut_off_[index(n)] = false;
  std::erase_if(letters_, [n](const Letter& l) { return l.from == n || l.to == n; });
  std::erase_if(on_their_way_,
                [n](const auto& l) { return l.second.from == n || l.second.to == n; });
}

// Clients notice that the connection is gone, and come back to whoever answers next.
void Stage::kill_server() {
  server_.reset();
  letters_.clear();
  on_their_way_.clear();
}

void Stage::thaw_client(int n) {
  frozen_[index(n)] = false;
  if (!cut_off_[index(n)]) return;
  cut_off_[index(n)] = false;
  waiting_[index(n)].clear();
  come_back(n);
}

void Stage::submit(int party, Tasks tasks) {
  Tasks background;
  for (auto& task : tasks) {
    if (task.background) {
      background.push_back(std::move(task));
      continue;
    }
    if (party == kServer) server_->clock(now_);
    Effects effects = task.run();
    if (party != kServer) {
      clients_[index(party)]->compute_models();
      if (auto instead = clients_[index(party)]->take_withdrawal()) effects = std::move(*instead);
    }
    if (party == kServer && server_->take_save_due()) {
      if (dies_before_saving && dies_before_saving()) return kill_server();
      save_server();
    }
    for (const auto& outgoing : effects.sends) send(party, outgoing);
    if (!effects.tasks.empty()) submit(party, std::move(effects.tasks));
    if (party == kServer && !server_) return;  // it died
  }
  if (!background.empty()) finish(party, std::move(background));
}

void Stage::finish(int party, Tasks tasks) {
  for (auto& task : tasks) {
    const Effects effects = task.run();
    clients_[index(party)]->compute_models();
    for (const auto& outgoing : effects.sends) send(party, outgoing);
  }
}

void Stage::send(int from, const Outgoing& outgoing) {
  if (!outgoing.wanted()) return;
  auto message = outgoing.make();
  if (!message) return;
  if (from != kServer) clients_[index(from)]->compute_uploads();
  if (const auto* step = std::get_if<Step>(message.get()); step != nullptr && step->plan) {
    plans[step->plan->revision] = step->plan;
  }
  if (lose && lose(from, outgoing.to, *message)) return;
  if (tamper) message = tamper(from, outgoing.to, std::move(message));
  if (!message) return;
  ++sent;
  if (const double time = takes ? takes(from, outgoing.to, *message) : 0; time > 0) {
    on_their_way_.emplace(now_ + time, Letter{from, outgoing.to, std::move(message)});
    return;
  }
  letters_.push_back({from, outgoing.to, std::move(message)});
}

void Stage::say(int from, int to, Message message) {
  letters_.push_back({from, to, make_message(std::move(message))});
}

// A client writes down what it has accepted before it may answer it.
void Stage::note(int n, const MessagePtr& message) {
  auto& folder = folders_[index(n)];
  folder.seeds = client(n).seeds().save();
  const auto* step = std::get_if<Step>(message.get());
  if (step != nullptr && step->plan && client(n).plan() == step->plan) {
    folder.plans.push_back(message);
  }
  const auto* missed = std::get_if<MissedPlan>(message.get());
  if (missed != nullptr && client(n).heads() && client(n).heads()->head() == missed->step.head) {
    folder.plans.push_back(make_message(missed->step));
  }
  if (const auto* share = std::get_if<ModelShare>(message.get())) {
    auto& newest = folder.newest_models[share->from];
    newest.push_back(message);
    if (newest.size() > 4) newest.pop_front();
  }
  const auto* share = std::get_if<DataShare>(message.get());
  if (share != nullptr &&
      client(n).held_sharing(share->from, share->part, share->first_row) == share->sharing) {
    folder.rows[{share->from, share->part, share->first_row}] = message;
  }
}

void Stage::deliver(const Letter& letter) {
  if (letter.to == kServer) {
    if (server_) submit(kServer, server_->receive(now_, letter.message));
    return;
  }
  if (!clients_[index(letter.to)]) return;
  if (frozen_[index(letter.to)]) {
    waiting_[index(letter.to)].push_back(letter.message);
    return;
  }
  auto tasks = clients_[index(letter.to)]->receive(letter.message);
  note(letter.to, letter.message);
  submit(letter.to, std::move(tasks));
  if (clients_[index(letter.to)]->farewell()) return;
  const auto* step = std::get_if<Step>(letter.message.get());
  if (step != nullptr && step->gradient && (step->gradient->plan().round + 1) % save_every == 0) {
    save_client(letter.to);
  }
}

void Stage::save_client(int n) {
  auto& client = *clients_[index(n)];
  client.compute_models();
  auto& folder = folders_[index(n)];
  folder.checkpoint = client.save();
  folder.models = client.held_models();
  folder.plans.clear();
  client.note_saved();
  for (const auto& [step, integers] : client.model().rounded()) {
    const auto [known, is_new] = rounded.try_emplace({n, step}, integers);
    EXPECT_EQ(known->second, integers)
        << "client " << n + 1 << " rounded step " << step << " twice";
  }
}

// The central model now and then, what it learns in between at once.
void Stage::save_server() {
  for (auto& news : learner_->take_news()) server_folder_.learned.push_back(std::move(news));
  server_folder_.notes = server_->save();
  if (server_->rounds() < server_folder_.rounds + 5 || server_->evaluating()) return;
  server_folder_.central = learner_->central().save();
  server_folder_.rounds = learner_->rounds();
  server_folder_.rate_changes = learner_->rate_changes();
  server_folder_.learned.clear();
}

void Stage::recall_learned() {
  learner_->keep_news();
  learner_->set_progress(server_folder_.rounds, server_folder_.rate_changes);
  std::erase_if(server_folder_.learned, [&](const std::string& news) {
    return !learner_
                ->recall(news, server_->rounds(), server_->finished_epochs(), job_.train.lr_decay)
                .value();
  });
  while (learner_->rate_changes() < server_->finished_epochs()) {
    learner_->scale_rate(job_.train.lr_decay);
  }
}

bool Stage::deliver_next() {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    auto& waiting = waiting_[index(n)];
    if (frozen_[index(n)] || waiting.empty()) continue;
    const auto message = waiting.front();
    waiting.pop_front();
    deliver({kServer, n, message});
    return true;
  }
  if (letters_.empty()) return false;
  now_ += 1e-4;
  const Letter letter = std::move(letters_.front());
  letters_.pop_front();
  deliver(letter);
  return true;
}

bool Stage::pass_time() {
  const double deadline =
      server_ ? server_->next_deadline() : std::numeric_limits<double>::infinity();
  if (!on_their_way_.empty() && on_their_way_.begin()->first <= deadline) {
    const auto first = on_their_way_.extract(on_their_way_.begin());
    now_ = std::max(now_, first.key());
    deliver(first.mapped());
    return true;
  }
  if (!server_ || !std::isfinite(server_->next_deadline())) return false;
  now_ = std::max(now_, server_->next_deadline());
  submit(kServer, server_->tick(now_));
  return true;
}

void Stage::run(const std::function<bool()>& stop) {
  for (int events = 0; events < 2'000'000; ++events) {
    if (!server_ || server_->done() || !server_->status() || (stop && stop())) return;
    if (!deliver_next() && !pass_time()) return;
  }
  FAIL() << "two million events and no end";
}

void Stage::report_finished(int n) {
  save_client(n);
  letters_.push_back({n, kServer, clients_[index(n)]->last_report()});
}

void Stage::settle() {
  while (deliver_next() || (server_ && server_->done() && pass_time())) {
  }
}

std::string Stage::describe() {
  std::string text;
  for (const auto& note : recorder.notes) text += note + "\n";
  if (plans.empty()) return text;
  const Plan& plan = *plans.rbegin()->second;
  text += fmt::format("revision {} round {} part {} versions", plan.revision, plan.round,
                      static_cast<int>(plan.part));
  for (const auto& version : plan.versions) {
    text += version ? fmt::format(" {}/{:x}", version->step, version->incarnation.tag()) : " -";
  }
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    text += fmt::format("\nclient {}{}{}", n + 1, alive(n) ? "" : " dead",
                        server_->board().dead(n) ? " (dead)" : "");
    if (!alive(n)) continue;
    const auto held = client(n).holdings();
    const auto models = client(n).held_models();
    text += fmt::format(" step {} answers {} behind {} lacks", client(n).model().step(),
                        held.data_complete, server_->behind(n));
    for (std::size_t m = 0; m < plan.versions.size(); ++m) {
      const bool has = std::ranges::any_of(models, [&](const auto& message) {
        const auto& share = std::get<ModelShare>(*message);
        return share.from == static_cast<int>(m) && share.version == plan.versions[m];
      });
      if (plan.versions[m] && !has) text += fmt::format(" {}", m + 1);
    }
    text += " newest";
    for (const auto& version : held.newest) {
      text += version ? fmt::format(" {}/{:x}", version->step, version->life) : " -";
    }
    if (!client(n).seeds().complete()) text += " lacks seeds";
  }
  return text;
}

void Stage::run_until_round(std::uint64_t round) {
  run([&] { return server_->rounds() >= round; });
}

}  // namespace fedvs::testing
