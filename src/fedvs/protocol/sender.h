// Whom a message says it is from.
#pragma once
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

int sender_of(const Message& message);  // kServer for the server's

}  // namespace fedvs::protocol
