// A client with rows of halves and no others around it: for tests of its folder, and of servers
// that a test plays itself.
#pragma once
#include <memory>
#include <utility>

#include "fedvs/job/parse.h"
#include "fedvs/model/client_network.h"
#include "fedvs/protocol/client/client.h"

namespace fedvs::testing {

// References outlive it.
inline std::unique_ptr<protocol::Client> lone_client(int number,
                                                     const protocol::Agreement& agreement,
                                                     const coding::LagrangeCode& code,
                                                     std::unique_ptr<protocol::CodedRows> rows,
                                                     SecretSource& secrets) {
  const auto& width = agreement.clients[static_cast<std::size_t>(number)];
  const Job job = complete_job({.toml = std::nullopt, .sets = {"data.name=synthetic"}}).value();
  Prng random = secrets.stream(Purpose::kInitialWeights, number, 0);
  auto network =
      model::PolynomialNetwork::initial(width.features, width.degree, agreement.width, 1.0, random);
  auto optimizer =
      model::Optimizer::create(model::client_optimizer(job), network.weights.size()).value();
  data::Table tables[data::kParts];
  for (std::size_t part = 0; part < data::kParts; ++part) {
    const auto cols = static_cast<std::size_t>(width.features);
    tables[part] = {.rows = agreement.rows[part], .cols = cols, .values = {}};
    tables[part].values.assign(agreement.rows[part] * cols, 0.5f);
  }
  protocol::LocalModel local(agreement, number,
                             protocol::LocalModel::own_rows(agreement, number, tables),
                             std::move(network), std::move(optimizer));
  return std::make_unique<protocol::Client>(
      number, agreement, code, std::move(local), std::move(rows), secrets,
      protocol::ClientOptions{.apart = true, .row_digest = {}, .rows_line_up = true});
}

}  // namespace fedvs::testing
