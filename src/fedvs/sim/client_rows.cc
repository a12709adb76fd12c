#include "fedvs/sim/client_rows.h"

#include <utility>

namespace fedvs::sim {
namespace {

std::shared_ptr<model::RowBlock> empty_block(const protocol::Agreement& agreement, int part,
                                             const std::vector<data::Prepared>& clients) {
  bool narrow = true;
  for (std::size_t n = 0; n < clients.size() && narrow; ++n) {
    narrow = model::FixedRows::fit_narrow(clients[n].features[part], agreement.clients[n].degree,
                                          agreement.scales.l_x);
  }
  return std::make_shared<model::RowBlock>(clients[0].features[part].rows,
                                           agreement.total_padded_inputs(), narrow);
}

}  // namespace

std::vector<protocol::LocalModel::Rows> rows_side_by_side(const protocol::Agreement& agreement,
                                                          std::vector<data::Prepared>& clients) {
  std::vector<protocol::LocalModel::Rows> rows(clients.size());
  for (int part = 0; part < data::kParts; ++part) {
    const auto block = empty_block(agreement, part, clients);
    for (std::size_t n = 0; n < clients.size(); ++n) {
      const data::Table features = std::exchange(clients[n].features[part], {});
      rows[n][static_cast<std::size_t>(part)] =
          model::FixedRows(features, agreement.clients[n].degree, agreement.scales.l_x, block,
                           agreement.first_padded_input(static_cast<int>(n)));
    }
  }
  return rows;
}

}  // namespace fedvs::sim
