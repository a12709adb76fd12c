// What the server knows of one client, beside what the client holds (HoldingsBoard).
#pragma once
#include <optional>

#include "fedvs/protocol/messages.h"
#include "fedvs/protocol/server/conduct.h"
#include "fedvs/protocol/server/presence.h"
#include "fedvs/protocol/timer.h"

namespace fedvs::protocol {

// The open plan, as far as one client is concerned. Starts anew with every plan, and in part when
// the client says hello.
struct PlanDealings {
  bool sent = false;  // the plan, to the life that the client lives now
  Timer able;         // it could upload, by its own word, and has not
  // It could upload, and waits until as many others say that they were shown the same plans: how
  // many have (Report::agreeing).
  std::optional<int> agreeing;
};

// Whether it is to share its model, and how long its shares took in the warm-up rounds, by which
// groups are formed.
struct ModelShares {
  bool asked = false;   // for one, in the step that is being made
  double lateness = 0;  // seconds, summed over the rounds; infinity: it died
  bool noted = false;   // in the round of now
};

struct Member {
  // ---- by its last hello
  std::optional<Incarnation> life;
  LifeCard card;
  SharingId sharing;
  Digest seeds{};       // of its list of mask seeds; stays once training has begun
  Groups bound_groups;  // of an earlier run over its rows; empty: none
  Presence presence;
  // Of more than this server can have sent, while a restarted server gathers all: is judged when
  // everybody was heard.
  std::optional<Hello> claim;

  // ---- by what it has sent since
  Conduct conduct;
  StepNumber saved = 0;   // it could start from there
  bool reported = false;  // since reports were asked for
  bool finished = false;  // has saved its last model

  // ---- by what it was sent
  std::uint64_t told_plans = 0;  // the index of the last signed plan that it was told of
  bool cannot_catch_up = false;  // by gradients kept and what it is known to have saved
  PlanDealings plan;
  ModelShares model_shares;
};

inline bool asked_to_share(const Member& member) { return member.model_shares.asked; }
inline double lateness_of(const Member& member) { return member.model_shares.lateness; }

}  // namespace fedvs::protocol
