// Who is counted on, and what makes that change. The lowest of the three layers of the server:
// Attendance knows all that the server knows and makes no plans; Returns (returns.h) brings clients
// back; Server (server.h) runs the rounds. A layer calls those below it and none above.
//   what a client does                     what follows                                     where
//   its connection is lost                 nothing is expected of it, what it holds does    lost
//                                          not count; what it has uploaded does. Whoever
//                                          waits looks at it within a second (hasten), and
//                                          then, where its death can be taken back, it is
//                                          dead
//   is asked and says nothing in time      silent: as if lost, until it is heard of note_silent
//   silent for dead_after                  dead: its group stands still (on_dead = declare_deaths
//                                          "freeze_group"), goes on without it
//                                          ("release"), or the run ends ("stop")
//   its model reaches too few for          withholding: its group stands still until it strike_off
//   dead_after                             has
//   could upload for dead_after and        idle: what it holds does not count until it strike_off
//   has not                                has uploaded
//   refuses; uploads what is wrong;        quarantined: as dead, and nothing it says is quarantine
//   16 faults                              heard, until its next hello. More than T that
//                                          refuse end the run
//   answers again                          alive; its group is asked to share anew declare_alive
//   says hello                             pardoned, but for a model that it owes           pardon
// Whoever changes this notes open_.died_since or hastens: server.h says what then becomes of the
// plan that is open.
#pragma once
#include <string>
#include <vector>

#include "fedvs/protocol/per_client.h"
#include "fedvs/protocol/server/course.h"
#include "fedvs/protocol/server/gates.h"
#include "fedvs/protocol/server/holdings_board.h"
#include "fedvs/protocol/server/member.h"
#include "fedvs/protocol/server/open_round.h"
#include "fedvs/protocol/server/phase.h"
#include "fedvs/protocol/server/post.h"
#include "fedvs/protocol/server/roll_call.h"
#include "fedvs/protocol/server/settings.h"
#include "fedvs/protocol/server/version_policy.h"
#include "fedvs/protocol/server/waits.h"
#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

class Attendance {
 public:
  void lost(double now, int client);

 protected:
  Attendance(const Agreement& agreement, const coding::LagrangeCode& code, Observer& observer,
             ServerSettings settings);
  RollCall roll() const { return {agreement_, members_, board_, open_}; }
  bool training_started() const { return phase_.training_started(); }

  // ---- what is said to whom (attendance.cc)
  Tasks fail(ErrorCode code, std::string message);  // the run is over
  void note_about(double now, int client, const std::string& text);
  Tasks to_all(MessagePtr message, std::size_t bytes) const;
  Tasks farewell(int client, Ending ending, std::string reason);
  Tasks send_away(int client, std::string reason);  // until it comes with another folder
  Tasks request_reports(bool fetch_again = false);
  Tasks ask_to_share(const std::vector<bool>& share);
  std::vector<bool> nobody() const { return std::vector<bool>(parties(agreement_), false); }
  Tasks declare_alive(double now, int client);
  void hasten(double now);

  // ---- groups, which bound what one client's absence stops (attendance.cc)
  void adopt_groups();
  void form_groups();
  void leave_group(int client);

  // ---- silence (deaths.cc)
  void note_silent();
  bool declare_deaths(double now);
  void declare_dead(int client, const std::string& why);
  double next_death(double now) const;

  // ---- promises (debts.cc)
  bool strike_off(double now);
  void ask_withholding(double now, std::vector<bool>& share);
  Tasks redeem(double now);
  void note_upload_of(double now, int client);

  // ---- misconduct (misconduct.cc)
  Tasks on(double now, const Refusal& refusal);
  Tasks on(double now, const Complaint& complaint);
  Tasks fault(double now, int client, const std::string& what);
  Tasks quarantine(double now, int client, const std::string& why, bool refused);
  void pardon(int client);

  const Agreement& agreement_;
  Observer& observer_;
  const ServerSettings settings_;
  ServerPhase phase_;
  Course course_;
  OpenRound open_;
  Post post_;
  Waits waits_;
  Gates gates_;
  PerClient<Member> members_;
  HoldingsBoard board_;
  VersionPolicy policy_;

 private:
  std::vector<int> missing_clients() const;
  bool strike_withholding(double now);
  double longest_debt(int client) const;
  void strike(double now, int client, double owed_for);
  bool strike_defaulting(double now);
  Tasks end_if_many_refuse();
};

}  // namespace fedvs::protocol
