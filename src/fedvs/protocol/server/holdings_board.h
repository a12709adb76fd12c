// What each client holds (models, by sender and version; rows and seeds, all or not) as its reports
// and uploads tell, and whether it may be counted on.
#pragma once
#include <span>
#include <vector>

#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

class HoldingsBoard {
 public:
  explicit HoldingsBoard(const Agreement& agreement);

  void update(int client, const Holdings& holdings, double now);
  // Whether the last update told of a version of this sender that its client had not held before.
  bool news_of(int sender) const { return news_[index(sender)]; }
  void seen(int client, double now);
  double last_seen(int client) const { return clients_[index(client)].last_seen; }
  bool data_complete() const;                   // of every client
  std::size_t versions_kept(int client) const;  // what it has told of, over all senders

  // This client lives under that incarnation from now on; which models it holds, it will say.
  void meet(int client, const Incarnation& incarnation);
  // Clients that hold the `step` version of every one of `senders`, as they live now.
  int holders(std::span<const int> senders, StepNumber step) const;
  bool holds_all(int client, std::span<const int> senders, StepNumber step) const;
  // The same as they lived when they shared it: `lives` by client.
  bool holds_all(int client, std::span<const int> senders, StepNumber step,
                 std::span<const Incarnation> lives) const;
  int holders(std::span<const int> senders, StepNumber step,
              std::span<const Incarnation> lives) const;
  // Those of `there`, without one sender itself, that hold its `step` version; and how many must so
  // that R can go on when it leaves: R, or all of them where they are fewer.
  int holders_beside(int sender, StepNumber step, std::span<const int> there) const;
  int needed_beside(int sender, std::span<const int> there) const;
  std::vector<int> living() const;
  // Clients that hold all that an upload for the plan takes.
  std::vector<int> able(const Plan& plan) const;
  bool able(int client, const Plan& plan) const;
  // Forgets versions that no plan can name any more.
  void forget_before(const Plan& closed);

  void declare_dead(int client) { clients_[index(client)].dead = true; }
  void declare_alive(int client) { clients_[index(client)].dead = false; }
  bool dead(int client) const { return clients_[index(client)].dead; }
  int alive() const;
  // What a client has done to be counted on no longer (conduct.h says how it gets over it).
  void set_quarantined(int client, bool is) { clients_[index(client)].quarantined = is; }
  void set_withholds(int client, bool does) { clients_[index(client)].withholds = does; }
  void set_defaulting(int client, bool is) { clients_[index(client)].defaults = is; }
  bool quarantined(int client) const { return clients_[index(client)].quarantined; }
  bool withholds(int client) const { return clients_[index(client)].withholds; }
  bool defaults(int client) const { return clients_[index(client)].defaults; }
  // Nothing new is to be expected of its model: its group stands still.
  bool stuck(int client) const {
    const auto& c = clients_[index(client)];
    return c.dead || c.quarantined || c.withholds;
  }
  // A silent client was asked what it holds and has not answered; it is silent until it does. A
  // lost one has no connection until it says hello again. Neither is dead, but what they hold does
  // not count meanwhile.
  void fall_silent(int client) { clients_[index(client)].silent = true; }
  void lose(int client) { clients_[index(client)].lost = true; }
  bool lost(int client) const { return clients_[index(client)].lost; }
  // Whether it may be counted on to upload for what it holds.
  bool answers(int client) const { return answers(clients_[index(client)]); }
  // R clients and some slack for those that drop out between this knowledge and their upload.
  int enough() const;

 private:
  struct ClientState {
    std::vector<std::vector<HeldVersion>> versions;  // per sender, a few each
    // Of these, per sender, the one reported last: nearly all that is asked for, side by side.
    std::vector<std::optional<HeldVersion>> newest;
    bool data_complete = false, dead = false, silent = false, lost = false;
    bool quarantined = false, withholds = false, defaults = false;
    double last_seen = 0;
  };
  static std::size_t index(int client) { return static_cast<std::size_t>(client); }
  static bool answers(const ClientState& c) {
    return !c.dead && !c.silent && !c.lost && !c.quarantined && !c.defaults;
  }
  bool is_sign_of_life(std::size_t sender, const HeldVersion& version);
  bool holds(const ClientState& client, int sender, const HeldVersion& version) const;
  bool able(const ClientState& client, const Plan& plan) const;
  const Agreement& agreement_;
  std::vector<ClientState> clients_;
  std::vector<std::uint32_t> lives_;  // per client: the tag of its incarnation
  std::vector<std::uint8_t> news_;    // per sender
  bool somebody_returned_ = false;
  std::vector<HeldVersion> newest_of_all_;  // per sender: the newest that anybody has told of
};

}  // namespace fedvs::protocol
