// Who is counted on, and what makes that change. The lowest of the three layers of the server:
// Attendance knows all that the server knows and makes no plans; Returns (returns.h) brings clients
// back; Server (server.h) runs the rounds. A layer calls those below it and none above.
//   its connection is lost: lost()
//       nothing is expected of it, and what it holds does not count; what it has uploaded does.
//       Whoever waits looks at it within a second (hasten); with on_dead = "freeze-group" it is
//       dead then, since its next hello undoes that
//   it is asked and says nothing in time: note_silent()
//       silent: as if lost, until it is heard of
//   silent or lost for dead_after: declare_deaths()
//       dead: its group stands still, goes on without it, or the run ends (on_dead)
//   its model reaches too few for dead_after: strike_off()
//       it withholds: its group stands still until it has
//   it could upload for dead_after and has not: strike_off()
//       it defaults: what it holds does not count until it has uploaded as often as it owes
//   it refuses, uploads what is wrong, or makes 16 faults: quarantine()
//       as dead, and nothing it says is heard until its next hello. (One that has refused says none
//       before its operator lets it: party/refused.h.) More than T that refuse end the run
//   it answers again: declare_alive(); its group is asked to share anew
//   it says hello: pardon(); what it owes of its model it still owes
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
