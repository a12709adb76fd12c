// The rows of all clients of one process, side by side as the coded rows have them: client n's
// inputs from agreement.first_padded_input(n) on, padding zero.
#pragma once
#include <vector>

#include "fedvs/data/prepared.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/client/local_model.h"

namespace fedvs::sim {

// Features are consumed, client by client. A part takes 2 bytes per input where all clients' fit.
std::vector<protocol::LocalModel::Rows> rows_side_by_side(const protocol::Agreement& agreement,
                                                          std::vector<data::Prepared>& clients);

}  // namespace fedvs::sim
