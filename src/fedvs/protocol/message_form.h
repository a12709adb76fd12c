// Whether a message has the form that the job prescribes: party numbers, lengths of lists, shapes
// of matrices. Everything that reads a message afterwards may index by it.
#pragma once
#include "fedvs/base/result.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

// kRefused, with what is wrong.
Status check_form(const Agreement& agreement, const Message& message);

}  // namespace fedvs::protocol
