// Which model versions a plan names: one per group, so that no client lags alone.
//   wait    every group's fresh version, the paper's way
//   reuse   fresh where a group's shares come on time, else the newest that enough clients hold;
//           a group older than max_age is waited for
//   drop    fresh versions of the groups that met the deadline; the others are dropped from the sum
// Departs: members of a group share the steps that the server asks for, the next one when the last
// is held by enough clients. If each shared whatever is newest when it is free, slow members would
// hardly ever have a version in common.
#pragma once
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fedvs/protocol/server/holdings_board.h"
#include "fedvs/protocol/timer.h"

namespace fedvs::v1 {
class SavedPolicy;
}

namespace fedvs::protocol {

class VersionPolicy {
 public:
  VersionPolicy(const Agreement& agreement, const HoldingsBoard& board);
  // Who lives now; where nothing has been trained yet, version 0 is theirs.
  void meet(const Welcome& welcome);

  const Groups& groups() const { return groups_; }
  bool groups_formed() const { return formed_; }
  // Cuts the clients, sorted by how late their shares came on average (seconds), into groups of at
  // least T+2; `on_time`: how late a share may come and still be waited for.
  void form_groups(const std::vector<double>& lateness, double on_time);
  // Those of an earlier run, before the first round: all are waited for until they come late.
  void adopt_groups(Groups groups);

  // Which clients share their version of step `round` now: groups whose last one is held by enough.
  std::vector<bool> ask_for_shares(StepNumber round, double now, bool all_groups = false);
  // News has come: groups whose asked-for version is now held by enough. Where nobody's holdings
  // have changed but the reporter's, by its last report, only what that brought is looked at.
  void update(double now, std::optional<int> reporter = {});
  // Versions owed for that long are held by enough if R hold them, and none of them is scarce. Else
  // the members that owe theirs for that long and whose shares are lacking. `there`: the clients
  // that could hold them.
  std::vector<int> overdue(double now, double patience, std::span<const int> there);
  // Since when a client owes its model: its group was asked for a version, and no version of the
  // group has come to be held by enough, nor has the group stood still since. Neither coming back
  // nor being asked for a newer version starts this time again; having shared the one before does.
  // Infinity: it owes nothing.
  double owed_since(int client) const { return owed_since_[static_cast<std::size_t>(client)]; }
  // Whether training could go on with the plan's models if any one client left for good. Looks at
  // every sender of a version that was not known before to be held by enough: R clients of `there`
  // beside it have to hold all that the plan names (HoldingsBoard::needed_beside).
  bool outlasts_any_sender(const Plan& plan, std::span<const int> there) const;
  // Senders because of whom it could not: too few others hold their share, and some of those who
  // lack it hold all other shares of the group, so that they are not slow but were not sent it.
  std::vector<int> scarce(const Plan& plan, std::span<const int> there) const;
  double next_overdue(double patience) const;              // when; infinity: nothing is asked for
  std::optional<StepNumber> pending_of(int client) const;  // asked of its group, not held yet
  bool moves(StepNumber round) const;  // some group does, or will from the next step on
  enum class Choice { kNormal, kOnlyHeld, kFresh };
  // kOnlyHeld: for a revision, what is held already (bounded age permitting). kFresh: the last
  // evaluation waits for everybody who lives.
  std::vector<std::optional<Version>> name(StepNumber round, Choice choice) const;
  bool all_fresh(StepNumber round) const;  // every living group's version is held by enough
  bool any_fresh(StepNumber round) const;
  double slowest_fresh(StepNumber round) const;   // seconds that the fresh groups' shares took
  void opened(const Plan& plan, double on_time);  // a round has closed

  void freeze_group_of(int client);
  void release(int client);
  // A client that was away is back, under another incarnation or declared dead too soon: its group
  // moves again unless another member is dead. Who has to share the version of step `round` now.
  std::vector<bool> returned(int client, StepNumber round, double now);
  // The server is back, and everybody lives anew: as above, for all groups.
  std::vector<bool> all_returned(StepNumber round, double now);
  // Clients have gone, or come back with less than they held: a version that too few hold now is
  // named as its senders live now, if enough hold it so; else their groups share anew, unless a
  // member is dead. Who has to share the version of step `round`.
  std::vector<bool> recover(StepNumber round, double now);
  std::vector<bool> frozen() const;    // per client
  std::vector<bool> released() const;  // per client

  void save(v1::SavedPolicy& to) const;
  Status restore(const v1::SavedPolicy& from);  // kCorrupt

 private:
  static constexpr std::size_t kRemembered = 5;  // rounds
  struct GroupState {
    StepNumber ready = 0;               // the newest version that enough clients hold
    std::optional<StepNumber> pending;  // asked for, not yet held by enough
    double asked_at = 0, took = 0;      // seconds
    std::deque<bool> on_time;           // of the last kRemembered rounds
    bool frozen = false;
    bool thawing = false;  // frozen still, but its members live again and have been asked to share
  };
  bool waited_for(const GroupState& group) const;  // on time in 3 of the last 5 rounds
  void thaw_if_young(GroupState& state, StepNumber round) const;
  void ask_anew(std::size_t group, StepNumber round, double now, std::vector<bool>& share);
  Version version_of(int client, const GroupState& group, StepNumber step) const;
  std::optional<StepNumber> step_for(const GroupState& group, StepNumber round,
                                     Choice choice) const;
  void note_living();
  std::size_t group_of(int client) const;
  void note_ready(std::size_t group, double now);
  void ask(std::size_t group, StepNumber round, double now, std::vector<bool>& share);
  void settle_debts(std::size_t group);
  double first_owed_since(std::size_t group) const;  // over its members
  std::vector<int> lacking(std::size_t group) const;
  bool names_new(const Plan& plan, std::size_t group) const;
  std::vector<int> scarce(std::size_t group, StepNumber step, std::span<const Incarnation> lives,
                          std::span<const int> there) const;
  const Agreement& agreement_;
  const HoldingsBoard& board_;
  Welcome welcome_;
  bool look_at_all_ = false;  // at the next update, whoever reports
  int enough_ = -1;
  Groups groups_, living_;  // living_: without the released
  bool formed_ = false;
  std::vector<GroupState> states_;
  std::vector<Incarnation> ready_as_;  // per client: who shared the version that is ready
  std::vector<std::optional<StepNumber>> released_at_;  // per client: its last version
  std::vector<double> owed_since_;
};

// Sorted by lateness (ties by number), cut into consecutive groups of `smallest`; the last group
// takes the remainder. One group where there are fewer than 2 * smallest.
Groups cut_into_groups(const std::vector<double>& lateness, int smallest);

}  // namespace fedvs::protocol
