// Parties are made from their folders.
#include "fedvs/model/client_network.h"
#include "tests/support/stage_lives.h"

namespace fedvs::testing {

using namespace protocol;  // NOLINT: a test's

Prng LivedSecrets::stream(Purpose purpose, int party, std::uint64_t round) {
  return (same_in_every_life(purpose) ? kept_ : fresh_).stream(purpose, party, round);
}

Status Stage::make_server() {
  server_.reset();
  const auto seed = static_cast<std::uint64_t>(job_.sim.seed);
  secrets_.push_back(std::make_unique<LivedSecrets>(seed, lives_++));
  auto central = model::make_central(job_, prepared_.classes, seed).value();
  if (!server_folder_.central.empty()) central->load(server_folder_.central).value();
  learner_ = std::make_unique<Learner>(agreement_, std::move(central), prepared_.labels[0],
                                       prepared_.labels[1], prepared_.labels[2]);
  auto server = std::make_unique<Server>(
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
  if (!server_folder_.notes.empty()) {
    FEDVS_TRY_STATUS(server->restore(now_, server_folder_.notes));
  }
  server_ = std::make_unique<ServerLife>(*this, std::move(server));
  return {};
}

void Stage::start_server() {
  make_server().value();
  server_folder_.recall_learned(server(), *learner_, job_.train.lr_decay);
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
  const auto& folder = folders_[index(n)];
  auto client = std::make_unique<Client>(n, agreement_, code_, std::move(local),
                                         folder.stored_rows(agreement_), secrets, options);
  folder.recall(*client);
  clients_[index(n)] = std::make_unique<Life>(*this, std::move(client));
  clients_[index(n)]->start();
}

}  // namespace fedvs::testing
