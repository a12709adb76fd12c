// party::RunStatus, for people, for programs and for Prometheus. Text that came from others
// (events, names) is made harmless for terminals; nothing here is secret.
#pragma once
#include <string>
#include <string_view>

#include "fedvs/base/result.h"
#include "fedvs/party/run_status.h"

namespace fedvs::status {

// Of everybody's rows, 0 to 1; 1 where nothing is shared any more, or yet.
double rows_held_by(const party::ClientStatus& client);

// For a terminal some 100 columns wide; one line per client, in the roster's order.
std::string status_table(const party::RunStatus& status);

// One object on one line; its keys are the names of the fields. Null: a number that is none (NaN,
// infinite), an accuracy or a lateness that is not known yet.
std::string status_json(const party::RunStatus& status);
// kBadData unless it is such an object, with all its keys; others are passed over.
Result<party::RunStatus> parse_status(std::string_view json);

// Prometheus text exposition format, version 0.0.4. What is not known yet has no line.
std::string status_metrics(const party::RunStatus& status);

}  // namespace fedvs::status
