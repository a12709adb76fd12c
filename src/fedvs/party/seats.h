// Where every client stands on its present connection, on its way in:
//   kAway         no connection
//   kConnected    over TLS, with that client's certificate
//   kIntroduced   the door knows it (door.h); it has been offered the server's rows, or the terms
//   kCome         its rows are the server's
//   kGreeted      it has read the terms and said hello: what the server says reaches it
// One step at a time, and back to kAway from any of them. A greeted one that says hello again
// begins another life. A run that comes to nothing before rows were shared takes its hellos along.
#pragma once
#include <cstdint>
#include <vector>

namespace fedvs::party {

enum class Stage { kAway, kConnected, kIntroduced, kCome, kGreeted };

class Seats {
 public:
  explicit Seats(int clients) : seats_(static_cast<std::size_t>(clients)) {}

  // Sessions count up: false, and nothing changes, where one after it was heard of before.
  bool connect(int client, std::uint64_t session);
  void leave(int client) { at(client).stage = Stage::kAway; }
  void introduce(int client) { advance(client, Stage::kIntroduced); }
  void come(int client) { advance(client, Stage::kCome); }
  void greet(int client);
  void forget_hellos();

  Stage stage(int client) const { return at(client).stage; }
  bool here(int client) const { return stage(client) != Stage::kAway; }
  // The present connection; 0: there is none.
  std::uint64_t session(int client) const { return here(client) ? at(client).session : 0; }
  bool is_present(int client, std::uint64_t session) const {
    return here(client) && at(client).session == session;
  }
  std::uint64_t restarts(int client) const;  // lives after the first

 private:
  struct Seat {
    Stage stage = Stage::kAway;
    std::uint64_t session = 0;  // the newest that was heard of
    std::uint64_t lives = 0;
  };
  void advance(int client, Stage to);  // from the stage before
  Seat& at(int client) { return seats_[static_cast<std::size_t>(client)]; }
  const Seat& at(int client) const { return seats_[static_cast<std::size_t>(client)]; }
  std::vector<Seat> seats_;
};

}  // namespace fedvs::party
