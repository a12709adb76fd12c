#include "fedvs/party/client_run.h"

#include <fmt/format.h>

#include <bit>

#include "fedvs/base/log.h"
#include "fedvs/base/wipe.h"
#include "fedvs/model/client_network.h"
#include "fedvs/net/seal/signing.h"
#include "fedvs/party/agree_on.h"
#include "fedvs/party/evidence.h"
#include "fedvs/party/own_sharing.h"
#include "fedvs/party/party_secrets.h"
#include "fedvs/protocol/groups.h"

namespace fedvs::party {
namespace {

// Of the row ids and, where rows are scored, the models to do it with: all clients have the same.
Digest row_check(const Key256& key, const data::RowIds& ids, const Versions& versions) {
  const Digest rows = data::row_ids_digest(&key, ids);
  if (versions.empty()) return rows;
  Hasher hasher;
  hasher.add(key).add(rows);
  for (const auto version : versions) hasher.add_u64(version);
  return hasher.finish();
}

// Keys what must come out the same again in the same run over the same data, and must not in
// another: with the same first weights in two runs, the sums of both would differ by those clients
// alone that changed their rows in between.
seal::SecretKey run_key(const seal::SecretKey& key, const Digest& run, const Digest& data_id) {
  Key256 derived = Hasher().add("fedvs run key 2").add(key.bytes()).add(run).add(data_id).finish();
  auto made = seal::SecretKey::copy_of(derived);
  wipe(std::span(derived));
  return made;
}

Status check(const ClientKit& kit, const wire::Terms& terms) {
  const bool scores = !terms.versions.empty();
  FEDVS_TRY_STATUS(
      kit.rows.check({.row_ids = terms.row_ids, .total_rows = terms.total_rows, .scores = scores}));
  if (scores && kit.trained->versions && terms.versions != *kit.trained->versions) {
    return Error{ErrorCode::kRefused,
                 "the server wants to score with other models than those of the training's last "
                 "evaluation; restore the server's folder of this training"};
  }
  return {};
}

Status check_split(const data::Prepared& prepared, const wire::Terms& terms) {
  for (std::size_t part = 0; part < data::kParts; ++part) {
    if (prepared.features[part].rows == terms.rows[part]) continue;
    return Error{ErrorCode::kRefused,
                 fmt::format("the server's split has {} rows in part {}, this client's {}",
                             terms.rows[part], part + 1, prepared.features[part].rows)};
  }
  return {};
}

}  // namespace

ClientRun::ClientRun(ClientKit& kit, const wire::Terms& terms, protocol::Agreement agreement,
                     coding::LagrangeCode code)
    : kit_(kit),
      terms_(terms),
      agreement_(std::move(agreement)),
      code_(std::move(code)),
      unopened_(kit.identity.roster.clients.size()) {}

Result<std::unique_ptr<ClientRun>> ClientRun::begin(ClientKit& kit, const wire::Terms& terms,
                                                    drive::Outbox& outbox) {
  FEDVS_TRY_STATUS(check(kit, terms));
  FEDVS_TRY(auto agreement, agree_on(kit.identity.job, kit.identity.roster, terms));
  if (const auto& trained = kit.trained) {
    FEDVS_TRY_STATUS(check_whole_groups(agreement, trained->groups, terms.versions));
  }
  FEDVS_TRY(auto code, coding::LagrangeCode::create(agreement.ring, agreement.shape));
  std::unique_ptr<ClientRun> run(new ClientRun(kit, terms, std::move(agreement), std::move(code)));
  FEDVS_TRY_STATUS(run->make_client());
  run->notes_.emplace(kit, run->terms_, *run->client_);
  run->driver_.emplace(*run->client_, *run->notes_, outbox);
  return run;
}

Result<protocol::Groups> ClientRun::bound_groups() const {
  if (!kit_.groups) return protocol::Groups{};
  FEDVS_TRY(auto groups, kit_.groups->binding(agreement_.shape.parties));
  if (groups.empty() || protocol::check_partition(agreement_, groups)) return groups;
  return Error{ErrorCode::kRefused,
               fmt::format("an earlier run over these rows had groups that are too small for "
                           "code.T = {}: T cannot be raised over the same rows",
                           agreement_.shape.colluding)};
}

Result<protocol::ClientOptions> ClientRun::options() {
  const auto& server_key = kit_.identity.roster.signing_key;
  FEDVS_TRY(auto groups, bound_groups());
  return protocol::ClientOptions{
      .apart = true,
      .row_count = kit_.rows.count(),
      .row_digest = [ids = kit_.rows.table().rows, versions = terms_.versions](
                        const Key256& key) { return row_check(key, ids, versions); },
      .rows_line_up = kit_.state.terms().has_value(),
      .life_card = [this](const protocol::Incarnation& life) { return kit_.post.begin_life(life); },
      .groups = std::move(groups),
      .run = run_digest(kit_.identity.job_digest, server_key, terms_),
      .verify =
          [server_key](std::string_view text, const protocol::Signature& signature) {
            return seal::verify(server_key, text, signature);
          }};
}

// In a run that began before the raw table is not needed again.
Result<data::Prepared> ClientRun::prepare() {
  auto table = kit_.state.terms() ? kit_.rows.take_table() : data::PartyRows(kit_.rows.table());
  if (kit_.trained) return data::prepare_new_rows(std::move(table), kit_.trained->standardiser);
  ClientState::Columns columns{.names = table.columns, .standardiser = {}};
  FEDVS_TRY(auto prepared,
            data::prepare_party(std::move(table), kit_.identity.job.data, &columns.standardiser));
  FEDVS_TRY_STATUS(kit_.state.keep(columns));
  return prepared;
}

// Everything that determines the shares of these rows and who holds them, and with data_id what the
// first weights are keyed by: other first weights are another sharing. Of the roster the clients
// and their keys: a certificate may be renewed while a run goes on.
Result<protocol::SharingId> ClientRun::share_as(const protocol::LocalModel::Rows& rows,
                                                const Digest& run) {
  const auto& self = kit_.identity;
  const auto& data = self.job.data;
  Hasher hasher;
  hasher.add("fedvs sharing 2").add(kit_.rows.ids()).add(kit_.rows.data_id());
  hasher.add_u64(self.roster.clients.size());
  for (const auto& client : self.roster.clients) {
    hasher.add_u64(client.name.size()).add(client.name).add(client.sealing_key);
  }
  hasher.add_u64(std::bit_cast<std::uint64_t>(static_cast<double>(data.clip)));
  hasher.add_u64(data.split.size()).add(data.split);
  hasher.add_u64(static_cast<std::uint64_t>(data.split_seed));
  hasher.add(protocol::shared_digest(agreement_, code_, self.number, rows));
  const auto& folder = kit_.trained ? kit_.state.folder() : kit_.folder;
  FEDVS_TRY(const auto sharing, own_sharing(folder, self.data_key, hasher.finish()));
  secrets_ =
      client_secrets(run_key(self.data_key, run, kit_.rows.data_id()), sharing.mask_key, self.job);
  return sharing.id;
}

Result<protocol::LocalModel> ClientRun::local_model(protocol::LocalModel::Rows rows) {
  const int n = kit_.identity.number;
  const auto& job = kit_.identity.job;
  const auto& width = agreement_.clients[static_cast<std::size_t>(n)];
  Prng random = secrets_->stream(Purpose::kInitialWeights, n, 0);
  auto network = model::PolynomialNetwork::initial(width.features, width.degree, agreement_.width,
                                                   job.model.init_scale, random);
  FEDVS_TRY(auto optimizer,
            model::Optimizer::create(model::client_optimizer(job), network.weights.size()));
  protocol::LocalModel local(agreement_, n, std::move(rows), std::move(network),
                             std::move(optimizer));
  if (const auto& trained = kit_.trained) {
    FEDVS_TRY_STATUS(local.adopt(trained->model, terms_.versions[static_cast<std::size_t>(n)]));
  }
  return local;
}

Status ClientRun::make_client() {
  const int n = kit_.identity.number;
  FEDVS_TRY(auto apart, options());
  FEDVS_TRY(const auto prepared, prepare());
  FEDVS_TRY_STATUS(check_split(prepared, terms_));
  auto own_rows = protocol::LocalModel::own_rows(agreement_, n, prepared.features);
  FEDVS_TRY(apart.sharing, share_as(own_rows, apart.run));
  FEDVS_TRY(auto local, local_model(std::move(own_rows)));
  FEDVS_TRY(auto held, kit_.state.rows(agreement_));
  client_ = std::make_unique<protocol::Client>(n, agreement_, code_, std::move(local),
                                               std::move(held), *secrets_, std::move(apart));
  FEDVS_TRY(const auto torn, kit_.state.recall(agreement_, *client_));
  if (torn > 0) log::warning("{} chunks of rows were torn and are fetched again", torn);
  log::info("at step {}, rows {}", client_->model().step(),
            client_->holdings().data_complete ? "complete" : "to be fetched");
  return {};
}

Status ClientRun::say_hello() {
  return std::exchange(said_hello_, true) ? driver_->come_back() : driver_->start();
}

Status ClientRun::receive(const protocol::MessagePtr& message) {
  const auto* welcome = std::get_if<protocol::Welcome>(message.get());
  const auto self = static_cast<std::size_t>(client_->number());
  const bool to_this_life = welcome != nullptr && welcome->clients.size() > self &&
                            welcome->clients[self] == client_->incarnation();
  if (to_this_life) kit_.post.meet(*welcome);
  FEDVS_TRY_STATUS(driver_->receive(message));
  if (!to_this_life) return notes_->status();
  for (const auto& sealed : unopened_.take_all()) {
    if (auto opened = open(sealed)) FEDVS_TRY_STATUS(receive(*opened));
  }
  return notes_->status();
}

}  // namespace fedvs::party
