// Groups of clients whose models move together: a partition of all clients into groups of at least
// T+2, or one group. Fixed for the deployment and the rows: the group sums of two runs with
// different groups tell what differs between them, down to a single client.
#pragma once
#include <optional>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/plan.h"

namespace fedvs::protocol {

Status check_partition(const Agreement& agreement, const Groups& groups);  // kRefused
bool same_partition(Groups a, Groups b);  // whatever the order that they are written in

// The groups that a run over rows that were trained on before has to use: those that most clients
// say they are bound to, if more than T do, so that no T colluders choose them; else `own`, which
// whoever asks remembers itself; empty: there are none. Groups that are no partition do not count.
// `said` has one entry per client, empty where that client is not bound.
Groups binding_groups(const Agreement& agreement, const std::vector<Groups>& said,
                      const Groups& own);

}  // namespace fedvs::protocol
