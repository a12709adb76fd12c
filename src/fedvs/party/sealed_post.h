// Protocol messages between clients as sealed envelopes: made and opened under the lives of sender,
// recipient and server, in order, each once.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/identity/client_folder.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/messages.h"
#include "fedvs/seal/replay_guard.h"
#include "fedvs/seal/sealer.h"
#include "fedvs/wire/envelope.h"

namespace fedvs::party {

// Whom a message says it is from; kServer for the server's.
int said_sender(const protocol::Message& message);

class SealedPost {
 public:
  // kRefused for a roster whose keys cannot be used.
  static Result<SealedPost> between(const identity::ClientFolder& self);

  // Lives as the server's last welcome names them. Ids begin anew with a life of ours.
  void meet(const protocol::Welcome& welcome);

  // The envelope's bytes. Needs a welcome.
  std::string seal(int to, const protocol::Message& message);
  // kRefused, naming the sender and what is wrong: changed on its way, of another life, seen
  // before, not from whom it says.
  Result<protocol::MessagePtr> open(const protocol::Agreement& agreement,
                                    const wire::Sealed& sealed);

 private:
  SealedPost(int number, Digest job) : number_(number), job_(job) {}
  seal::Binding binding(int from, int to, std::uint32_t kind, std::uint64_t id) const;
  int number_;
  Digest job_;
  std::vector<std::optional<seal::Sealer>> sealers_;  // by client; none for oneself
  protocol::Welcome welcome_;
  std::vector<std::uint64_t> next_id_;  // by recipient
  seal::ReplayGuard seen_;
};

}  // namespace fedvs::party
