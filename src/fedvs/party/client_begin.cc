// The protocol's client: made from the terms that the server names, if they are what this client
// came for.
#include <fmt/format.h>

#include "fedvs/base/log.h"
#include "fedvs/model/client_network.h"
#include "fedvs/party/client_party.h"
#include "fedvs/wire/codec.h"

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

}  // namespace

Status ClientParty::check(const wire::Terms& terms) const {
  const bool scores = !terms.versions.empty();
  if (scores != options_.trained.has_value()) {
    return Error{ErrorCode::kRefused, scores ? "the server is there to score rows; use --predict"
                                             : "the server is there to train; leave out --predict"};
  }
  if (scores && options_.trained->versions && terms.versions != *options_.trained->versions) {
    return Error{ErrorCode::kRefused,
                 "the server wants to score with other models than those of the training's last "
                 "evaluation; restore the server's folder of this training"};
  }
  if (terms.total_rows != row_count_ || terms.row_ids != row_ids_) {
    return Error{ErrorCode::kRefused,
                 fmt::format("the server's file is of {} rows, this one of {}: {}",
                             terms.total_rows, row_count_,
                             terms.total_rows == row_count_
                                 ? scores ? "the ids differ, or the trainings do"
                                          : "the ids (or the columns part and subject) differ"
                                 : "all parties must hold the same rows")};
  }
  return {};
}

Status ClientParty::begin(const wire::Terms& terms) {
  FEDVS_TRY_STATUS(check(terms));
  std::vector<int> features(terms.features.begin(), terms.features.end());
  const std::size_t rows[] = {terms.rows[0], terms.rows[1], terms.rows[2]};
  FEDVS_TRY(auto agreement,
            protocol::agree(identity_.job, features, rows, static_cast<int>(terms.classes)));
  agreement.names = identity_.roster.client_names();
  agreement_.emplace(std::move(agreement));
  FEDVS_TRY(auto code, coding::LagrangeCode::create(agreement_->ring, agreement_->shape));
  code_.emplace(std::move(code));
  link_->set_largest_parcel(wire::largest_envelope(envelope_limits()));
  return make_client(terms);
}

Result<data::Prepared> ClientParty::prepare() {
  if (options_.trained)
    return data::prepare_new_rows(std::move(rows_), options_.trained->standardiser);
  ClientState::Columns columns{.names = rows_.columns, .standardiser = {}};
  FEDVS_TRY(auto prepared,
            data::prepare_party(std::move(rows_), identity_.job.data, &columns.standardiser));
  FEDVS_TRY_STATUS(state_.keep(columns));
  return prepared;
}

Status ClientParty::make_client(const wire::Terms& terms) {
  const int n = identity_.number;
  const auto& job = identity_.job;
  protocol::ClientOptions apart{
      .apart = true,
      .row_count = row_count_,
      .row_digest = [ids = rows_.rows, versions = terms.versions](const Key256& key) {
        return row_check(key, ids, versions);
      }};
  FEDVS_TRY(auto prepared, prepare());
  for (std::size_t part = 0; part < data::kParts; ++part) {
    if (prepared.features[part].rows == terms.rows[part]) continue;
    return Error{ErrorCode::kRefused,
                 fmt::format("the server's split has {} rows in part {}, this client's {}",
                             terms.rows[part], part + 1, prepared.features[part].rows)};
  }
  const auto& width = agreement_->clients[static_cast<std::size_t>(n)];
  Prng random = secrets_->stream(Purpose::kInitialWeights, n, 0);
  auto network = model::PolynomialNetwork::initial(width.features, width.degree, agreement_->width,
                                                   job.model.init_scale, random);
  FEDVS_TRY(auto optimizer,
            model::Optimizer::create(model::client_optimizer(job), network.weights.size()));
  protocol::LocalModel local(*agreement_, n,
                             protocol::LocalModel::own_rows(*agreement_, n, prepared.features),
                             std::move(network), std::move(optimizer));
  if (const auto& trained = options_.trained) {
    FEDVS_TRY_STATUS(local.adopt(trained->model, terms.versions[static_cast<std::size_t>(n)]));
  }
  FEDVS_TRY(auto rows, state_.rows(*agreement_));
  client_ = std::make_unique<protocol::Client>(n, *agreement_, *code_, std::move(local),
                                               std::move(rows), *secrets_, std::move(apart));
  FEDVS_TRY(const auto torn, state_.recall(*agreement_, *client_));
  if (torn > 0) log::warning("{} chunks of rows were torn and are fetched again", torn);
  log::info("at step {}, rows {}", client_->model().step(),
            client_->holdings().data_complete ? "complete" : "to be fetched");
  return {};
}

}  // namespace fedvs::party
