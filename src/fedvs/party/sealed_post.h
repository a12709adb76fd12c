// Protocol messages between clients as sealed envelopes: made and opened under the lives of sender,
// recipient and server, in order, each once.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/deploy/client_folder.h"
#include "fedvs/net/seal/replay_guard.h"
#include "fedvs/net/seal/sealer.h"
#include "fedvs/net/wire/envelope.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/messages.h"
#include "fedvs/protocol/sender.h"

namespace fedvs::party {

class SealedPost {
 public:
  // kRefused for a roster whose keys cannot be used.
  static Result<SealedPost> between(const deploy::ClientFolder& self);

  // A new key for a new life of ours, in memory only; that of the life before, and all that was
  // agreed with it, are wiped. Nothing is sealed or opened until a welcome names this life.
  protocol::LifeCard begin_life(const protocol::Incarnation& life);
  // Lives and their keys as the server's last welcome to this life names them. A key that its owner
  // has not signed is not used: nothing is sealed for that client nor opened from it.
  void meet(const protocol::Welcome& welcome);

  // The envelope's bytes. kRefused where nothing has been agreed with that client's life.
  Result<std::string> seal(int to, const protocol::Message& message);
  // kRefused, naming the sender and what is wrong: changed on its way, of another life, seen
  // before, not from whom it says.
  Result<protocol::MessagePtr> open(const protocol::Agreement& agreement,
                                    const wire::Sealed& sealed);

 private:
  struct Peer {  // none of it for oneself
    protocol::Incarnation life;
    protocol::LifeCard card;
    std::optional<seal::Sealer> sealer;
  };
  SealedPost(const deploy::ClientFolder& self, deploy::PrivateKey signing);
  Result<seal::Sealer> agree_with(int client, const protocol::Incarnation& life,
                                  const protocol::LifeCard& card) const;
  seal::Binding binding(int from, int to, std::uint32_t kind, std::uint64_t id) const;
  int number_;
  deploy::Roster roster_;
  seal::KeyPair fixed_;
  deploy::PrivateKey signing_;
  std::optional<seal::KeyPair> of_life_;
  protocol::Incarnation life_;
  std::vector<Peer> peers_;  // by client
  protocol::Welcome welcome_;
  std::vector<std::uint64_t> next_id_;  // by recipient
  seal::ReplayGuard seen_;
};

}  // namespace fedvs::party
