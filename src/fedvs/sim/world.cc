#include "fedvs/sim/world.h"

#include <fmt/format.h>

#include <limits>

#include "fedvs/base/bytes.h"
#include "fedvs/base/freed_memory.h"
#include "fedvs/base/temporary_folder.h"
#include "fedvs/sim/client_rows.h"

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

Result<std::unique_ptr<World>> World::create(const Job& job, data::PreparedJob prepared,
                                             protocol::Observer& observer) {
  std::vector<int> features;
  for (const auto& client : prepared.clients) {
    features.push_back(static_cast<int>(client.features[0].cols));
  }
  const std::size_t rows[data::kParts] = {prepared.labels[0].size(), prepared.labels[1].size(),
                                          prepared.labels[2].size()};
  FEDVS_TRY(auto agreement, protocol::agree(job, features, rows, prepared.classes));
  FEDVS_TRY(auto code, coding::LagrangeCode::create(agreement.ring, agreement.shape));
  std::unique_ptr<World> world(new World(job, std::move(agreement), std::move(code)));
  FEDVS_TRY_STATUS(world->make_clients(prepared));
  FEDVS_TRY_STATUS(world->make_server(std::move(prepared), observer));
  return world;
}

Status World::make_clients(data::PreparedJob& prepared) {
  auto rows_of_clients = rows_side_by_side(agreement_, prepared.clients);
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto c = static_cast<std::size_t>(n);
    const auto& width = agreement_.clients[c];
    Prng random = secrets_.stream(Purpose::kInitialWeights, n, 0);
    auto network = model::PolynomialNetwork::initial(width.features, width.degree, agreement_.width,
                                                     job_.model.init_scale, random);
    FEDVS_TRY(auto optimizer, model::Optimizer::create({.kind = job_.train.client_optimizer,
                                                        .rate = job_.train.lr_client,
                                                        .momentum = job_.train.momentum,
                                                        .weight_decay = job_.train.weight_decay},
                                                       network.weights.size()));
    protocol::LocalModel local(agreement_, n, std::move(rows_of_clients[c]), std::move(network),
                               std::move(optimizer));
    FEDVS_TRY(auto rows, rows_of(n));
    clients_.push_back(std::make_unique<protocol::Client>(n, agreement_, code_, std::move(local),
                                                          std::move(rows), secrets_));
  }
  give_back_freed_memory();  // the features' room, before the masks take theirs
  if (batches_) {
    for (const auto& client : clients_) batches_->add(client->model());
  }
  return {};
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
  if (job_.sim.data_shares == "kept") return kept_rows(agreement_);
  if (!batches_) batches_ = std::make_unique<SharedBatches>(agreement_, code_, secrets_);
  return batches_->rows_of(client);
}

Status World::make_server(data::PreparedJob prepared, protocol::Observer& observer) {
  const auto seed = static_cast<std::uint64_t>(job_.sim.seed);
  FEDVS_TRY(auto central, model::make_central(job_, agreement_.classes, seed));
  learner_ = std::make_unique<protocol::Learner>(
      agreement_, std::move(central), std::move(prepared.labels[0]), std::move(prepared.labels[1]),
      std::move(prepared.labels[2]));
  mute_ = std::make_unique<Mute>(observer);
  server_ = std::make_unique<protocol::Server>(
      agreement_, code_, *learner_, secrets_, *mute_,
      protocol::ServerSettings{
          .batch_seed = seed, .lr_decay = job_.train.lr_decay, .patience = job_.train.patience});
  simulator_ = std::make_unique<Simulator>(job_.sim, delays_, *server_, clients_, batches_.get());
  return {};
}

void World::run(const std::function<bool()>& stop) {
  if (!std::exchange(started_, true)) simulator_->start();
  simulator_->run(std::numeric_limits<std::uint64_t>::max(), stop);
}

Status World::status() const {
  FEDVS_TRY_STATUS(server_->status());
  if (server_->done()) return {};
  if (simulator_->idle()) {
    return Error{ErrorCode::kTooFewShares,
                 fmt::format("round {}: nothing more can happen and the server still waits",
                             server_->rounds())};
  }
  return Error{ErrorCode::kStopped, fmt::format("stopped after round {}", server_->rounds())};
}

World::Parts World::save() {
  simulator_->compute();  // the models below are those of the steps that clients have accepted
  ByteWriter control;
  // Before training there is nothing to keep: the run starts anew.
  const bool started = server_->training_started();
  control.number<std::uint64_t>(started ? simulator_->events() : 0);
  control.number(server_->patience_ended());
  control.number(server_->best_validation_loss());
  control.number(server_->evaluations_without_gain());
  Parts parts{{"control", control.take()},
              {"predictions", learner_->save_predictions()},
              {"gradients", save_gradients()},
              {"central", learner_->central().save()}};
  for (const auto& client : clients_) {
    parts[fmt::format("client-{}", client->number() + 1)] = client->model().save();
  }
  return parts;
}

namespace {

Result<std::string> part(const World::Parts& parts, const std::string& name) {
  if (const auto found = parts.find(name); found != parts.end()) return found->second;
  return Error{ErrorCode::kCorrupt, fmt::format("the checkpoint lacks its part \"{}\"", name)};
}

}  // namespace

// Gradients that some client has not applied yet.
std::string World::save_gradients() const {
  protocol::StepNumber slowest = server_->rounds();
  for (const auto& client : clients_) slowest = std::min(slowest, client->model().step());
  ByteWriter out;
  for (const auto& gradient : server_->recent_gradients()) {
    if (gradient->plan().round < slowest) continue;
    out.number(gradient->plan().round);
    out.numbers(gradient->values());
  }
  return out.take();
}

Status World::restore_gradients(const std::string& bytes) {
  ByteReader in(bytes);
  while (in.left() > 0) {
    FEDVS_TRY(const auto round, in.number<std::uint64_t>());
    FEDVS_TRY(auto values, in.numbers<float>());
    for (const auto& gradient : server_->recent_gradients()) {
      if (gradient->plan().round == round) gradient->fill(std::move(values));
    }
  }
  return {};
}

Status World::restore(const Parts& parts) {
  if (job_.sim.compute == "measured") {
    return Error{ErrorCode::kBadJob,
                 "a run with sim.compute = \"measured\" cannot be resumed: its clock was this "
                 "machine's; start it anew"};
  }
  FEDVS_TRY(const auto control, part(parts, "control"));
  ByteReader in(control);
  FEDVS_TRY(const auto events, in.number<std::uint64_t>());
  FEDVS_TRY(const auto patience_ended, in.number<int>());
  FEDVS_TRY(const auto best, in.number<double>());
  FEDVS_TRY(const auto waited, in.number<int>());
  if (events == 0) return {};
  server_->expect_patience_to_end(patience_ended);
  FEDVS_TRY_STATUS(replay(events));
  server_->restore_patience(best, waited);
  FEDVS_TRY(const auto gradients, part(parts, "gradients"));
  FEDVS_TRY_STATUS(restore_gradients(gradients));
  FEDVS_TRY(const auto central, part(parts, "central"));
  FEDVS_TRY_STATUS(learner_->central().load(central));
  for (auto& client : clients_) {
    FEDVS_TRY(const auto bytes, part(parts, fmt::format("client-{}", client->number() + 1)));
    FEDVS_TRY_STATUS(client->model().restore(bytes));
  }
  FEDVS_TRY(const auto predictions, part(parts, "predictions"));
  FEDVS_TRY_STATUS(learner_->restore_predictions(predictions));
  for (auto& client : clients_) client->refill(clients_);
  server_->refill_uploads(
      [this](int n) { return clients_[static_cast<std::size_t>(n)]->remake_upload(); });
  return {};
}

Status World::adopt(const Parts& parts) {
  FEDVS_TRY(const auto central, part(parts, "central"));
  FEDVS_TRY_STATUS(learner_->central().load(central));
  for (auto& client : clients_) {
    FEDVS_TRY(const auto bytes, part(parts, fmt::format("client-{}", client->number() + 1)));
    FEDVS_TRY_STATUS(client->model().adopt(bytes));
  }
  return {};
}

Status World::replay(std::uint64_t events) {
  FEDVS_CHECK(!started_, "a world is restored before it runs");
  auto set = [this](protocol::Arithmetic arithmetic) {
    server_->set_arithmetic(arithmetic);
    for (auto& client : clients_) client->set_arithmetic(arithmetic);
    mute_->on = arithmetic == protocol::Arithmetic::kSkipped;
  };
  set(protocol::Arithmetic::kSkipped);
  started_ = true;
  simulator_->start();
  simulator_->run(events, {});
  set(protocol::Arithmetic::kReal);
  if (simulator_->events() == events && server_->status()) return {};
  return Error{ErrorCode::kCorrupt,
               fmt::format("the replay ended after {} of {} events: the checkpoint is of another "
                           "job or version",
                           simulator_->events(), events)};
}

}  // namespace fedvs::sim
