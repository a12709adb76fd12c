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
  bool dead = false;     // silent for long: its group stands still
  bool behind = false;   // came back, and is getting the gradients that it missed
  std::string standing;  // why it is not counted on; empty while it is
  double heard_seconds_ago = 0;
  double late_seconds = 0;   // of its last upload, after the first one of that round; -1: not yet
  std::uint64_t missed = 0;  // rounds opened without it, of the last hundred
  std::uint64_t model_age = 0;                // rounds, of the version that the last plan named
  std::uint64_t bytes_in = 0, bytes_out = 0;  // from it, to it
  std::uint64_t connects = 0, restarts = 0;   // restarts: lives after the first
  // While rows are shared, of every client's rows in the roster's order: the part that this one
  // has, of 0 to 1. Empty before and afterwards.
  std::vector<double> rows_of;
};

struct RunStatus {
  std::string job,
      phase;  // "waiting for clients", "sharing rows", "training", "evaluating", "done"
  struct Progress {
    std::uint64_t round = 0, rounds = 0;  // so far; expected in all
    int epoch = 0, epochs = 0;
    std::uint64_t revisions = 0;  // of plans
    double loss = 0;
    std::optional<double> accuracy = {};  // of the last test
  } progress;
  struct Uploads {
    int needed = 0, may_be_late = 0;  // R, N - R
  } uploads;
  // Clients wait for others' word that they were shown the same plans: heads that agree, and Q. 0
  // needed: nobody waits.
  struct Heads {
    int agreeing = 0, needed = 0;
  } heads;
  struct Exposed {
    double largest = 0;  // protocol/exposure.h; 0: not known before all clients have come
    std::string text = {};
  } exposure;
  struct Idle {
    std::string why = {};      // no client learns now; empty while some do
    std::uint64_t rounds = 0;  // in which nobody did
    int epochs = 0;
  } idle;
  struct Sharing {
    double shared = 0;         // of 0 to 1, by all pairs of clients
    double seconds_left = -1;  // by the rate so far; -1: not known, or nothing is shared
  } rows;
  double running_seconds = 0, rounds_per_second = 0;
  std::uint64_t server_restarts = 0, relayed_bytes = 0;
  std::vector<ClientStatus> clients;
  std::vector<std::string> events;  // the newest last, each with its time; some twenty
};

}  // namespace fedvs::party
