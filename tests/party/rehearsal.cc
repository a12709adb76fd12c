#include "tests/party/rehearsal.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "fedvs/base/thread_pool.h"
#include "fedvs/data/catalog.h"
#include "fedvs/job/parse.h"

namespace fedvs::party::testing {
namespace {

constexpr std::uint64_t kFirstRounds = 8, kManyRounds = 60;
constexpr auto kLinger = std::chrono::milliseconds(100), kLingerLong = 15 * kLinger;
constexpr int kDays = 30;

Job small_job(const std::vector<std::string>& more) {
  std::vector<std::string> sets{
      "data.name=synthetic",    fmt::format("data.clients={}", Rehearsal::kClients),
      "data.rows=900",          "data.features=24",
      "model.width=8",          "model.hidden=[16, 8]",
      "train.batch_size=32",    "train.epochs=5",
      "train.evaluate_every=5", "train.lr=0.01",
      "train.lr_client=0.05"};
  sets.insert(sets.end(), more.begin(), more.end());
  return complete_job({.toml = std::nullopt, .sets = std::move(sets)}).value();
}

// Those who are put out try again soon.
transport::Limits limits_of_clients() {
  transport::Limits limits;
  limits.first_retry = transport::Duration(50);
  limits.last_retry = transport::Duration(200);
  return limits;
}

}  // namespace

// ---- what the server tells

void Diary::on_round(const protocol::RoundRecord& record) {
  std::unique_lock lock(mutex_);
  rounds_ = record.plan->round + 1;
  changed_.notify_all();
  if (rounds_ <= kFirstRounds) return;
  const auto time = rounds_ < kManyRounds ? kLinger : kLingerLong;  // on a slow machine
  changed_.wait_for(lock, time, [this] { return !linger_; });
}

void Diary::on_evaluation(const protocol::EvaluationRecord& record) {
  const std::lock_guard lock(mutex_);
  if (record.part == data::Part::kTest) accuracy_ = record.metrics.accuracy;
}

void Diary::on_note(const std::string& note) {
  const std::lock_guard lock(mutex_);
  notes_.push_back(note);
  changed_.notify_all();
}

void Diary::on_groups(const protocol::Groups& groups) {
  const std::lock_guard lock(mutex_);
  groups_ = groups;
}

protocol::Groups Diary::groups() const {
  const std::lock_guard lock(mutex_);
  return groups_;
}

void Diary::set_linger(bool linger) {
  const std::lock_guard lock(mutex_);
  linger_ = linger;
  changed_.notify_all();
}

std::uint64_t Diary::rounds() const {
  const std::lock_guard lock(mutex_);
  return rounds_;
}

double Diary::accuracy() const {
  const std::lock_guard lock(mutex_);
  return accuracy_;
}

std::vector<std::string> Diary::notes() const {
  const std::lock_guard lock(mutex_);
  return notes_;
}

std::size_t Diary::count(const std::string& part) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      notes_, [&](const std::string& note) { return note.find(part) != note.npos; }));
}

bool Diary::wait_for_round(std::uint64_t rounds) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return rounds_ >= rounds; });
}

bool Diary::wait_for_note(const std::string& part, std::size_t times) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return count(part) >= times; });
}

// ---- the parties

Rehearsal::Rehearsal(std::vector<std::string> sets) : job_(small_job(sets)) {
  ThreadPool::set_default_threads(1);
  const auto set = data::load(job_.data).value();
  FEDVS_CHECK(data::write_party_files(set, job_.data, folder_ / "parties").has_value(), "files");
  files_ = data::party_files(folder_ / "parties", job_.data.clients);
  std::vector<std::string> names;
  for (int n = 0; n < job_.data.clients; ++n) names.push_back(name(n));
  const std::time_t now = std::time(nullptr);
  const auto deployment =
      deploy::plan_deployment(job_, names, {"127.0.0.1", 0}, /*trial=*/true, now + 3600).value();
  trial_ = deploy::deploy_trial(deployment, folder_ / "deploy", kDays, now).value();
}

Rehearsal::~Rehearsal() { stop_all(); }

deploy::ServerFolder Rehearsal::server_folder() const {
  return deploy::load_server_folder(trial_->server, std::time(nullptr)).value();
}

deploy::ClientFolder Rehearsal::client_folder(int n) const {
  return deploy::load_client_folder(trial_->clients[static_cast<std::size_t>(n)],
                                    std::time(nullptr))
      .value();
}

transport::Tls Rehearsal::client_tls(int n) const {
  const auto folder = client_folder(n);
  return {.ca_pem = folder.authority_pem,
          .certificate_pem = folder.certificate_pem,
          .key_pem = std::string(folder.tls_key_pem.view())};
}

transport::Tls Rehearsal::server_tls() const {
  const auto folder = server_folder();
  return {.ca_pem = folder.authority_pem,
          .certificate_pem = folder.certificate_pem,
          .key_pem = std::string(folder.key_pem.view())};
}

data::PartyRows Rehearsal::rows_of(int n) const {
  return data::read_party_csv(files_.clients[static_cast<std::size_t>(n)].string(),
                              data::party_csv(job_.data))
      .value();
}

void Rehearsal::start(const std::map<int, std::string>& via) {
  if (!server_) start_server();
  for (int n = 0; n < job_.data.clients; ++n) {
    const auto other = via.find(n);
    start_client(n, other == via.end() ? "" : other->second);
  }
}

void Rehearsal::start_server() {
  const auto labels = data::read_label_csv(files_.labels.string(), {}).value();
  server_ = ServerParty::create(server_folder(), labels,
                                {.folder = trial_->server,
                                 .listen = fmt::format("127.0.0.1:{}", port_),
                                 .wait_for_clients = 120,
                                 .stop = [this] { return stop_server_.load(); }},
                                diary_)
                .value();
  FEDVS_CHECK(server_->listen().has_value(), "the server listens");
  port_ = server_->port();
  server_runs_ = true;
  server_thread_ = std::thread([this] {
    server_ended_ = server_->run();
    server_runs_ = false;
  });
}

void Rehearsal::start_client(int n, const std::string& via) { start_client(n, rows_of(n), via); }

void Rehearsal::start_client(int n, data::PartyRows rows, const std::string& via) {
  auto client = std::make_unique<ClientThread>();
  client->thread = std::thread([this, n, mine = std::move(rows), self = client.get(),
                                to = via.empty() ? address() : via]() mutable {
    auto party = ClientParty::create(client_folder(n), std::move(mine),
                                     {.folder = trial_->clients[static_cast<std::size_t>(n)],
                                      .server = to,
                                      .give_up_after = 120,
                                      .save_every = 1,
                                      .limits = limits_of_clients(),
                                      .stop = [self] { return self->stop.load(); }});
    self->ended = party ? (*party)->run() : Status(party.error());
  });
  clients_[n] = std::move(client);
}

Status Rehearsal::stop_client(int n) {
  clients_.at(n)->stop = true;
  return wait_client(n);
}

Status Rehearsal::wait_client(int n) {
  const auto client = std::move(clients_.at(n));
  clients_.erase(n);
  client->thread.join();
  return client->ended;
}

void Rehearsal::stop_all() {
  diary_.set_linger(false);
  stop_server_ = true;
  for (auto& [n, client] : clients_) client->stop = true;
  for (auto& [n, client] : clients_) {
    if (client->thread.joinable()) client->thread.join();
  }
  if (server_thread_.joinable()) server_thread_.join();
}

Rehearsal::Ending Rehearsal::wait() {
  diary_.set_linger(false);
  server_thread_.join();
  Ending ending{.server = server_ended_,
                .clients = {},
                .rounds = diary_.rounds(),
                .accuracy = diary_.accuracy()};
  for (auto& [n, client] : clients_) {
    if (!server_ended_) client->stop = true;  // they would wait for it to come back
    client->thread.join();
    ending.clients.push_back(client->ended);
  }
  return ending;
}

}  // namespace fedvs::party::testing
