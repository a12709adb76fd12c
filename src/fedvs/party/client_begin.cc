// The protocol's client: made from the terms that the server names, if they are what this client
// came for.
#include <fmt/format.h>

#include <bit>

#include "fedvs/base/log.h"
#include "fedvs/base/wipe.h"
#include "fedvs/model/client_network.h"
#include "fedvs/net/seal/signing.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/party/client_party.h"
#include "fedvs/party/evidence.h"
#include "fedvs/party/exposure_log.h"
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

// What must be the same again while a run and its data are. Not for longer: with the same first
// weights in two runs, the sums of both would differ by those clients alone that changed their rows
// in between.
seal::SecretKey run_key(const seal::SecretKey& key, const Digest& run, const Digest& data_id) {
  Key256 derived = Hasher().add("fedvs run key 2").add(key.bytes()).add(run).add(data_id).finish();
  auto made = seal::SecretKey::copy_of(derived);
  wipe(std::span(derived));
  return made;
}

}  // namespace

Status ClientParty::check(const wire::RowsOffer& offer) const {
  if (offer.scores != options_.trained.has_value()) {
    return Error{ErrorCode::kRefused, offer.scores
                                          ? "the server is there to score rows; use --predict"
                                          : "the server is there to train; leave out --predict"};
  }
  if (offer.total_rows == row_count_ && offer.row_ids == row_ids_) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("the server's file is of {} rows, this one of {}: {}. Start again with "
                           "the right file, or have the server started with its right one; nothing "
                           "needs to be cleaned up",
                           offer.total_rows, row_count_,
                           offer.total_rows != row_count_ ? "all parties must hold the same rows"
                           : offer.scores                 ? "the ids differ, or the trainings do"
                                          : "the ids (or the columns part and subject) differ")};
}

Status ClientParty::check(const wire::Terms& terms) const {
  const bool scores = !terms.versions.empty();
  FEDVS_TRY_STATUS(
      check({.row_ids = terms.row_ids, .total_rows = terms.total_rows, .scores = scores}));
  if (scores && options_.trained->versions && terms.versions != *options_.trained->versions) {
    return Error{ErrorCode::kRefused,
                 "the server wants to score with other models than those of the training's last "
                 "evaluation; restore the server's folder of this training"};
  }
  return {};
}

// Another run in its place, before rows were shared: somebody came with another file.
void ClientParty::forget_run() {
  driver_.reset();
  client_.reset();
  code_.reset();
  agreement_.reset();
  unopened_.clear();
  said_hello_ = pinned_ = own_run_kept_ = false;
}

Status ClientParty::begin(const wire::Terms& terms) {
  FEDVS_TRY_STATUS(check(terms));
  std::vector<int> features(terms.features.begin(), terms.features.end());
  const std::size_t rows[] = {terms.rows[0], terms.rows[1], terms.rows[2]};
  FEDVS_TRY(auto agreement,
            protocol::agree(identity_.job, features, rows, static_cast<int>(terms.classes)));
  agreement.names = identity_.roster.client_names();
  agreement_.emplace(std::move(agreement));
  if (const auto& trained = options_.trained) {
    FEDVS_TRY_STATUS(check_whole_groups(*agreement_, trained->groups, terms.versions));
  }
  log_exposure(protocol::exposure_of(*agreement_));
  FEDVS_TRY(auto code, coding::LagrangeCode::create(agreement_->ring, agreement_->shape));
  code_.emplace(std::move(code));
  link_->set_largest_parcel(wire::largest_envelope(envelope_limits()));
  return make_client(terms);
}

Result<data::Prepared> ClientParty::prepare() {
  auto rows = state_.terms() ? std::move(rows_) : data::PartyRows(rows_);
  if (options_.trained)
    return data::prepare_new_rows(std::move(rows), options_.trained->standardiser);
  ClientState::Columns columns{.names = rows.columns, .standardiser = {}};
  FEDVS_TRY(auto prepared,
            data::prepare_party(std::move(rows), identity_.job.data, &columns.standardiser));
  FEDVS_TRY_STATUS(state_.keep(columns));
  return prepared;
}

// Everything that determines the shares of these rows and who holds them, and with data_id_ what
// the first weights are keyed by: other first weights are another sharing. Of the roster the
// clients and their keys: a certificate may be renewed while a run goes on.
Result<protocol::SharingId> ClientParty::share_as(const protocol::LocalModel::Rows& rows,
                                                  const Digest& run) {
  const auto& data = identity_.job.data;
  Hasher hasher;
  hasher.add("fedvs sharing 2").add(row_ids_).add(data_id_);
  hasher.add_u64(identity_.roster.clients.size());
  for (const auto& client : identity_.roster.clients) {
    hasher.add_u64(client.name.size()).add(client.name).add(client.sealing_key);
  }
  hasher.add_u64(std::bit_cast<std::uint64_t>(static_cast<double>(data.clip)));
  hasher.add_u64(data.split.size()).add(data.split);
  hasher.add_u64(static_cast<std::uint64_t>(data.split_seed));
  hasher.add(protocol::shared_digest(*agreement_, *code_, identity_.number, rows));
  const std::filesystem::path& folder = options_.trained ? state_.folder() : options_.folder;
  FEDVS_TRY(const auto sharing, own_sharing(folder, identity_.data_key, hasher.finish()));
  secrets_ =
      client_secrets(run_key(identity_.data_key, run, data_id_), sharing.mask_key, identity_.job);
  return sharing.id;
}

Status ClientParty::make_client(const wire::Terms& terms) {
  const int n = identity_.number;
  const auto& job = identity_.job;
  protocol::ClientOptions apart{
      .apart = true,
      .row_count = row_count_,
      .row_digest = [ids = rows_.rows, versions = terms.versions](
                        const Key256& key) { return row_check(key, ids, versions); },
      .rows_line_up = state_.terms().has_value(),
      .life_card = [this](const protocol::Incarnation& life) { return post_.begin_life(life); },
      .run = run_digest(identity_.job_digest, identity_.roster.signing_key, terms),
      .verify =
          [key = identity_.roster.signing_key](std::string_view text,
                                               const protocol::Signature& signature) {
            return seal::verify(key, text, signature);
          }};
  if (groups_) {
    FEDVS_TRY(apart.groups, groups_->binding(agreement_->shape.parties));
    if (!apart.groups.empty() && !protocol::check_partition(*agreement_, apart.groups)) {
      return Error{ErrorCode::kRefused,
                   fmt::format("an earlier run over these rows had groups that are too small for "
                               "code.T = {}: T cannot be raised over the same rows",
                               agreement_->shape.colluding)};
    }
  }
  FEDVS_TRY(auto prepared, prepare());
  for (std::size_t part = 0; part < data::kParts; ++part) {
    if (prepared.features[part].rows == terms.rows[part]) continue;
    return Error{ErrorCode::kRefused,
                 fmt::format("the server's split has {} rows in part {}, this client's {}",
                             terms.rows[part], part + 1, prepared.features[part].rows)};
  }
  auto own_rows = protocol::LocalModel::own_rows(*agreement_, n, prepared.features);
  FEDVS_TRY(apart.sharing, share_as(own_rows, apart.run));
  const auto& width = agreement_->clients[static_cast<std::size_t>(n)];
  Prng random = secrets_->stream(Purpose::kInitialWeights, n, 0);
  auto network = model::PolynomialNetwork::initial(width.features, width.degree, agreement_->width,
                                                   job.model.init_scale, random);
  FEDVS_TRY(auto optimizer,
            model::Optimizer::create(model::client_optimizer(job), network.weights.size()));
  protocol::LocalModel local(*agreement_, n, std::move(own_rows), std::move(network),
                             std::move(optimizer));
  if (const auto& trained = options_.trained) {
    FEDVS_TRY_STATUS(local.adopt(trained->model, terms.versions[static_cast<std::size_t>(n)]));
  }
  FEDVS_TRY(auto rows, state_.rows(*agreement_));
  client_ = std::make_unique<protocol::Client>(n, *agreement_, *code_, std::move(local),
                                               std::move(rows), *secrets_, std::move(apart));
  driver_.reset(new drive::ClientDriver(*client_, *this, *this));
  FEDVS_TRY(const auto torn, state_.recall(*agreement_, *client_));
  if (torn > 0) log::warning("{} chunks of rows were torn and are fetched again", torn);
  log::info("at step {}, rows {}", client_->model().step(),
            client_->holdings().data_complete ? "complete" : "to be fetched");
  return {};
}

}  // namespace fedvs::party
