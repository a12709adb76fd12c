// Who is here, and who is counted on for what: questions over all that the server knows of its
// clients. Changes nothing.
//   here          has said hello, and was not left out since            presence.h
//   caught up     is here and has all that it missed: it gets the next plan
//   answers       may be counted on at all: neither dead, silent, lost, quarantined nor idle
//                                                                      holdings_board.h, conduct.h
//   may upload    was sent the open plan, answers, and holds by its own word all that the plan
//   takes
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/per_client.h"
#include "fedvs/protocol/server/holdings_board.h"
#include "fedvs/protocol/server/member.h"
#include "fedvs/protocol/server/open_round.h"

namespace fedvs::protocol {

class RollCall {
 public:
  RollCall(const Agreement& agreement, const PerClient<Member>& members, const HoldingsBoard& board,
           const OpenRound& open)
      : agreement_(agreement), members_(members), board_(board), open_(open) {}

  // ---- who is here
  int here() const;
  // After a restart of the server: everybody that is waited for has said hello, and R are here.
  bool all_are_heard() const;
  std::vector<int> caught_up(std::vector<int> clients) const;  // of these
  std::vector<int> there() const { return caught_up(board_.living()); }
  std::vector<int> unsaved() const;  // have not said that their last model is saved

  // ---- who could upload
  bool may_upload(int client) const;
  int uploads_possible() const;
  bool others_may_upload() const;            // somebody could, by what is known of it, and has not
  bool enough_hold(const Plan& plan) const;  // R have caught up and hold all that it takes
  // The open plan names models of clients that are not counted on for them; `held`: what would be
  // named now.
  bool names_withheld(const std::vector<std::optional<Version>>& held) const;

  // ---- who has said what
  bool everybody_reported() const;  // of those that answer, since reports were asked for
  bool below_quorum() const;        // fewer answer than have to agree on a signed plan
  // Clients could upload, and wait for others' word that they were shown the same plans: the least
  // number of heads that agree at one of them; none where nobody waits.
  std::optional<int> heads_waited_with() const;
  bool waits_for_heads(int client) const { return members_[client].plan.agreeing.has_value(); }

  // ---- for people
  std::string why_not_counted_on(int client) const;  // empty while it is
  std::string missing() const;        // ", 3, 5 (does not upload)": who is away or not counted on
  std::string heads_missing() const;  // "; waiting for heads: 3 of 6"; empty where nobody waits

 private:
  const Agreement& agreement_;
  const PerClient<Member>& members_;
  const HoldingsBoard& board_;
  const OpenRound& open_;
};

}  // namespace fedvs::protocol
