#include "fedvs/sim/world.h"

#include <fmt/format.h>

#include <limits>

#include "fedvs/base/freed_memory.h"
#include "fedvs/base/temporary_folder.h"
#include "fedvs/model/client_network.h"
#include "fedvs/sim/client_rows.h"
#include "fedvs/sim/forecast.h"
#include "fedvs/sim/wait_for_all.h"

namespace fedvs::sim {

// Passes records on, except while a run is being replayed.
class World::Mute final : public protocol::Observer {
 public:
  explicit Mute(protocol::Observer& to) : to_(to) {}
  bool on = false;
  void on_round(const protocol::RoundRecord& r) override {
    if (!on) to_.on_round(r);
  }
  void on_evaluation(const protocol::EvaluationRecord& r) override {
    if (!on) to_.on_evaluation(r);
  }
  void on_groups(const protocol::Groups& g) override { to_.on_groups(g); }
  void on_note(const std::string& n) override {
    if (!on) to_.on_note(n);
  }

 private:
  protocol::Observer& to_;
};

World::World(const Job& job, protocol::Agreement agreement, coding::LagrangeCode code)
    : job_(job),
      agreement_(std::move(agreement)),
      code_(std::move(code)),
      secrets_(static_cast<std::uint64_t>(job.sim.seed)),
      delays_(job_.sim, agreement_.shape.parties, agreement_.batch_rows()) {}

World::~World() = default;

namespace {

PublicFacts facts_of(const data::PreparedJob& prepared) {
  PublicFacts facts;
  for (const auto& client : prepared.clients) {
    facts.features.push_back(static_cast<int>(client.features[0].cols));
  }
  for (int part = 0; part < data::kParts; ++part) facts.rows[part] = prepared.labels[part].size();
  facts.classes = prepared.classes;
  return facts;
}

}  // namespace

Result<std::unique_ptr<World>> World::create(const Job& job, data::PreparedJob prepared,
                                             protocol::Observer& observer) {
  FEDVS_TRY(auto agreement, agree_on_fastest(job, facts_of(prepared)));
  FEDVS_TRY(auto code, coding::LagrangeCode::create(agreement.ring, agreement.shape));
  std::unique_ptr<World> world(new World(job, std::move(agreement), std::move(code)));
  FEDVS_TRY_STATUS(world->make_clients(prepared));
  const auto seed = static_cast<std::uint64_t>(job.sim.seed);
  FEDVS_TRY(auto central, model::make_central(job, prepared.classes, seed));
  auto& labels = prepared.labels;
  world->make_server(std::move(central),
                     {std::move(labels[0]), std::move(labels[1]), std::move(labels[2])}, observer);
  return world;
}

Status World::make_clients(data::PreparedJob& prepared) {
  if (agreement_.masked()) masks_.emplace(agreement_, code_, secrets_);
  auto rows_of_clients = rows_side_by_side(agreement_, prepared.clients);
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto c = static_cast<std::size_t>(n);
    const auto& width = agreement_.clients[c];
    Prng random = secrets_.stream(Purpose::kInitialWeights, n, 0);
    auto network = model::PolynomialNetwork::initial(width.features, width.degree, agreement_.width,
                                                     job_.model.init_scale, random);
    FEDVS_TRY(auto optimizer,
              model::Optimizer::create(model::client_optimizer(job_), network.weights.size()));
    protocol::LocalModel local(agreement_, n, std::move(rows_of_clients[c]), std::move(network),
                               std::move(optimizer));
    FEDVS_TRY(auto rows, rows_of(n));
    protocol::ClientOptions options;
    if (masks_) options.mask = masks_->of(n);
    add_client(n, std::move(local), std::move(rows), std::move(options));
  }
  give_back_freed_memory();  // the features' room, before the masks take theirs
  if (batches_) {
    for (const auto& client : clients_) batches_->add(client->model());
  }
  return {};
}

void World::add_client(int number, protocol::LocalModel model,
                       std::unique_ptr<protocol::CodedRows> rows, protocol::ClientOptions options) {
  options.work = works_.emplace_back(std::make_shared<ClientWork>());
  clients_.push_back(std::make_unique<protocol::Client>(
      number, agreement_, code_, std::move(model), std::move(rows), secrets_, std::move(options)));
}

namespace {

// In files that lose their names once they are mapped, so that nothing is left behind however the
// process ends.
Result<std::unique_ptr<protocol::CodedRows>> kept_rows(const protocol::Agreement& agreement) {
  FEDVS_TRY(const auto folder, TemporaryFolder::create());
  auto rows = protocol::stored_rows(agreement, folder.path());
  if (rows) return rows;
  return Error{rows.error().code,
               rows.error().message +
                   "; TMPDIR names the folder, and sim.data_shares = \"remade\" needs no files"};
}

}  // namespace

// Made again from what all parties know together, or kept by each as a party alone would.
Result<std::unique_ptr<protocol::CodedRows>> World::rows_of(int client) {
  if (job_.sim.data_shares == DataShares::kKept) return kept_rows(agreement_);
  if (!batches_) batches_ = std::make_unique<SharedBatches>(agreement_, code_, secrets_);
  return batches_->rows_of(client);
}

void World::make_server(std::unique_ptr<model::CentralModel> central, Labels labels,
                        protocol::Observer& observer) {
  learner_ = std::make_unique<Learner>(agreement_, std::move(central), std::move(labels[0]),
                                       std::move(labels[1]), std::move(labels[2]));
  mute_ = std::make_unique<Mute>(observer);
  server_ = std::make_unique<protocol::Server>(
      agreement_, code_, *learner_, secrets_, *mute_,
      protocol::ServerSettings{.batch_seed = static_cast<std::uint64_t>(job_.sim.seed),
                               .lr_decay = job_.train.lr_decay,
                               .patience = job_.train.patience});
  simulator_ = std::make_unique<Simulator>(
      job_.sim, delays_, Speeds(job_.sim, agreement_, learner_->central().forward_macs_per_row()),
      Simulator::Parties{*server_, clients_, works_, batches_.get()});
}

void World::run(const std::function<bool()>& stop) {
  if (!std::exchange(started_, true)) simulator_->start();
  simulator_->run(std::numeric_limits<std::uint64_t>::max(), stop);
}

std::uint64_t World::rounds_per_epoch() const {
  const std::size_t rows = agreement_.coded_rows(data::Part::kTrain),
                    batch = agreement_.batch_rows();
  return (rows + batch - 1) / batch;
}

double World::bytes_per_client() const {
  double bytes = 0;
  for (int n = 0; n < client_count(); ++n) {
    const auto& traffic = simulator_->traffic(n);
    bytes += static_cast<double>(traffic.sent + traffic.received);
  }
  return bytes / client_count();
}

double World::wait_for_all(std::uint64_t round, std::size_t samples) const {
  return seconds_to_wait_for_all(delays_, simulator_->links(), client_count(), round,
                                 samples * agreement_.width);
}

Status World::status() const {
  FEDVS_TRY_STATUS(simulator_->status());
  FEDVS_TRY_STATUS(server_->status());
  if (server_->done()) return {};
  if (simulator_->idle()) {
    return Error{ErrorCode::kTooFewShares,
                 fmt::format("round {}: nothing more can happen and the server still waits",
                             server_->rounds())};
  }
  return Error{ErrorCode::kStopped, fmt::format("stopped after round {}", server_->rounds())};
}

void World::set_numbers(Numbers numbers) {
  learner_->set_numbers(numbers);
  simulator_->set_numbers(numbers);
  mute_->on = numbers == Numbers::kReplayed;
}

}  // namespace fedvs::sim
