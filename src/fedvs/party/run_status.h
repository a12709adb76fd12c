// What a server is doing, as `fedvs status` and /metrics show it: a copy, taken between two events.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fedvs::party {

struct ClientStatus {
  std::string name;
  bool connected = false;
  bool dead = false;    // silent for long: its group stands still
  bool behind = false;  // came back, and is getting the gradients that it missed
  double heard_seconds_ago = 0;
  double late_seconds = 0;   // of its last upload, after the first one of that round; -1: not yet
  std::uint64_t missed = 0;  // rounds opened without it, of the last hundred
  std::uint64_t model_age = 0;                // rounds, of the version that the last plan named
  std::uint64_t bytes_in = 0, bytes_out = 0;  // from it, to it
  std::uint64_t connects = 0, restarts = 0;   // restarts: lives after the first
};

struct RunStatus {
  std::string job,
      phase;  // "waiting for clients", "sharing rows", "training", "evaluating", "done"
  std::uint64_t round = 0, rounds = 0;  // so far; expected in all
  int epoch = 0, epochs = 0;
  int needed = 0, may_be_late = 0;  // R, N - R
  double loss = 0;
  std::optional<double> accuracy;  // of the last test
  double running_seconds = 0, rounds_per_second = 0;
  std::uint64_t server_restarts = 0, revisions = 0;
  std::uint64_t relayed_bytes = 0;
  std::vector<ClientStatus> clients;
  std::vector<std::string> events;  // the newest last, each with its time; some twenty
};

}  // namespace fedvs::party
