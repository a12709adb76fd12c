// What a client does besides, where it is alone in its process; and how it is told of earlier runs.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "fedvs/base/prng.h"
#include "fedvs/protocol/client/deferred_work.h"
#include "fedvs/protocol/client/head_book.h"
#include "fedvs/protocol/client/upload_mask.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

struct ClientOptions {
  // Rows are asked for chunk by chunk instead of pushed, so that nobody is flooded and a transfer
  // resumes; before that, all clients make sure that they have the same rows in the same order. The
  // newest shares of its model are kept, for clients that come back and have lost theirs.
  bool apart = false;
  std::uint64_t row_count = 0;
  std::function<Digest(const Key256&)> row_digest;  // of its row ids, under a key
  bool rows_line_up = false;                        // found in an earlier life, and written down
  // The key that others seal for this life with: made anew for every life. None: nobody seals.
  std::function<LifeCard(const Incarnation&)> life_card = {};
  SharingId sharing = {};  // of its own rows
  Groups groups = {};      // of an earlier run over these rows: it refuses others; empty: none
  // Where the server signs its plans: what names this run and no other, and how to tell the
  // server's signature. Clients then compare the plans that they were shown.
  Digest run = {};
  VerifyHead verify = {};
  // Where all parties live in one process, who makes its masks together with everybody's; null: it
  // makes them from its own seeds. Outlives the client.
  const UploadMask* mask = nullptr;
  // What it leaves to be computed, and how that is done; null: one by one, when its driver says.
  std::shared_ptr<DeferredWork> work = {};
};

}  // namespace fedvs::protocol
