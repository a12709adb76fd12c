// The key of a client's life, vouched for by the key of its certificate, which the roster pins: a
// server that passes on another key than a client made is found out before anything is sealed with
// it. Otherwise it could keep what was sealed for its own key until it has stolen a client's
// folder.
#pragma once
#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"
#include "fedvs/deploy/private_key.h"
#include "fedvs/deploy/roster.h"
#include "fedvs/net/seal/keys.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::party {

// Bound to the job, the client's number and the life.
protocol::LifeCard make_card(const deploy::PrivateKey& signing, const Digest& job, int client,
                             const protocol::Incarnation& life, const seal::PublicKey& key);
// kRefused unless that client of the roster has signed it for this very life.
Status check_card(const deploy::Roster& roster, int client, const protocol::Incarnation& life,
                  const protocol::LifeCard& card);

}  // namespace fedvs::party
