// What an operator decides about the server, and what its driver keeps for it.
#pragma once
#include "fedvs/protocol/groups.h"
#include "fedvs/protocol/heads.h"
#include "fedvs/protocol/server/gradient_archive.h"

namespace fedvs::protocol {

struct ServerSettings {
  std::uint64_t batch_seed = 1;
  double lr_decay = 1;  // of both rates, after every epoch
  int patience = 0;     // evaluations without a better validation loss; 0: never stops early
  // Where clients may come back, the gradients that they missed; null: nobody can. Outlives the
  // server.
  GradientArchive* archive = nullptr;
  int max_catch_up = 10000;  // rounds: gradients that are kept for clients that are away
  // Seconds that a run waits with fewer clients than it needs, for some to come back.
  double wait_for_return = 0;
  // Of an earlier run over the same rows, where clients do not say which; empty: none.
  Groups groups = {};
  // Where plans are signed: what names this run and no other, the chain so far, the key. Null: they
  // are not. Outlives the server.
  Digest run = {};
  HeadArchive* heads = nullptr;
  SignHead sign = {};
  VerifyHead verify = {};
};

}  // namespace fedvs::protocol
