// The life that a client is in: its incarnation, the server's welcome to it, and with that the
// incarnations of all others.
#pragma once
#include <cstdint>
#include <utility>

#include "fedvs/protocol/messages.h"
#include "fedvs/protocol/of_client.h"

namespace fedvs::protocol {

class ClientLife {
 public:
  ClientLife(int client, SecretSource& secrets)
      : client_(client), incarnation_(Incarnation::draw(secrets, client)) {}
  void begin_anew(SecretSource& secrets) {
    incarnation_ = Incarnation::draw(secrets, client_, ++lives_);
    welcome_ = {};
  }
  const Incarnation& incarnation() const { return incarnation_; }
  bool is_met_by(const Welcome& welcome) const {  // else it is for an earlier life
    return of_client(welcome.clients, client_) == incarnation_;
  }
  // Returns the welcome before it; that of a life's first has no clients.
  Welcome take(const Welcome& welcome) { return std::exchange(welcome_, welcome); }
  const Welcome& welcome() const { return welcome_; }
  const Incarnation& of(int client) const { return of_client(welcome_.clients, client); }

  // Whether it has come back to a run and asked the others for their models again: then shares of
  // their former lives count too, and a second share of a step is no fault.
  void ask_for_models(bool asks) { asks_for_models_ = asks; }
  bool asks_for_models() const { return asks_for_models_; }

 private:
  const int client_;
  std::uint64_t lives_ = 0;
  Incarnation incarnation_;
  Welcome welcome_;
  bool asks_for_models_ = false;
};

}  // namespace fedvs::protocol
