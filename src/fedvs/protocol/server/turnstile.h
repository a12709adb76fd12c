// Lets messages of every client through at a bounded rate: a burst, then one per interval. The
// newest of those that come too soon is kept and passes when it may; it takes the place of the one
// kept before, so that whoever repeats itself costs neither memory nor work.
#pragma once
#include <vector>

#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

class Turnstile {
 public:
  Turnstile(int clients, double burst, double seconds_each);

  bool pass(double now, int client, const MessagePtr& message);  // false: kept
  bool pass(double now, int client);                             // false: forgotten
  MessagePtr due(double now);  // one that was kept and may pass now, or null
  void forget(int client);     // what is kept of it
  double next() const;         // when one may; infinity: none is kept
  bool keeps(int client) const {
    return passages_[static_cast<std::size_t>(client)].kept != nullptr;
  }

 private:
  struct Passage {
    double tokens, at = 0;
    MessagePtr kept = nullptr;
  };
  bool take(double now, Passage& passage);
  double ready(const Passage& passage) const;  // when it has a token
  double burst_, each_;
  std::vector<Passage> passages_;
};

}  // namespace fedvs::protocol
