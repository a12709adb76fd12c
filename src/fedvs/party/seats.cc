#include "fedvs/party/seats.h"

#include "fedvs/base/check.h"

namespace fedvs::party {

bool Seats::connect(int client, std::uint64_t session) {
  Seat& seat = at(client);
  if (session < seat.session) return false;
  seat.stage = Stage::kConnected;
  seat.session = session;
  return true;
}

void Seats::advance(int client, Stage to) {
  const int steps = static_cast<int>(to) - static_cast<int>(stage(client));
  FEDVS_CHECK(steps == 1, "a client comes in one step at a time");
  at(client).stage = to;
}

void Seats::greet(int client) {
  if (stage(client) != Stage::kGreeted) advance(client, Stage::kGreeted);
  ++at(client).lives;
}

void Seats::forget_hellos() {
  for (Seat& seat : seats_) {
    if (seat.stage == Stage::kGreeted) seat.stage = Stage::kCome;
  }
}

std::uint64_t Seats::restarts(int client) const {
  const auto lives = at(client).lives;
  return lives > 0 ? lives - 1 : 0;
}

}  // namespace fedvs::party
