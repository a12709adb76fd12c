// What a client is doing: one of six states, and what leads from one to another.
//
//   Greeting     it has said hello and waits for its welcome
//     enters     a client that starts or comes back
//     leaves     Welcomed, before the first plan            -> Preparing
//                Welcomed, later, or it has seen a plan     -> CatchingUp
//   Preparing    rows, mask seeds and first models are exchanged
//     enters     Greeting
//     leaves     SeesPlan                                   -> Training
//   CatchingUp   gradients may be of plans that it has missed
//     enters     Greeting
//     leaves     SeesPlan to train on                       -> Training (other plans: it stays)
//   Training     every gradient has to be of the plan that it accepted last
//     enters     Preparing, CatchingUp
//   Finished     the server has said that the run is over, or goes on without it
//     enters     all four above, with a Farewell
//   BrokenOff    it has refused, and takes part no more
//     enters     all five above, with BreaksOff
// From the first four ComesBack leads to Greeting; the last two it leaves as they are. Before it
// says hello, a client that greets sees plans in its notes, and stays Greeting. What is not named
// here does not happen. docs/design/states.md has all cells; tests/protocol/states_test.cc compares
// them.
//
// A client that greets, or has ended, remembers how far it had come (Stage): a plan, once seen, is
// never unseen. So a client that has seen one is CatchingUp after its next welcome, whatever the
// server says.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "fedvs/protocol/heads.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol::doing {

// How far a client has come in the run, which it remembers when it is not taking part.
enum class Stage : std::uint8_t { kPreparing, kCatchingUp, kTraining };

// It has said hello and waits for its welcome. Messages of other clients are kept until then,
// those of the server were meant for the life before and are dropped.
struct Greeting {
  Stage reached = Stage::kPreparing;
};
// Rows, seeds and first models are exchanged; no plan has been seen.
struct Preparing {};
// It came back after the first plan was made and has not accepted a plan for training since:
// gradients may be of plans that it has missed.
struct CatchingUp {};
// Every gradient has to be of the plan that it accepted last.
struct Training {};
// The server has said that the run is over, or goes on without this client.
struct Finished {
  Stage reached;
  Farewell farewell;
};
// It has found the server to cheat, or to ask for what would tell about its data, or its own model
// to outgrow the ring, and takes part no more.
struct BrokenOff {
  std::string reason;
  std::uint64_t revision = 0;         // of the plan that it refused; 0 where it was no plan
  std::optional<Equivocation> proof;  // where the server has signed two chains of plans
  Stage reached = Stage::kPreparing;
  // It was told that the run is over before its last model was computed and found not to fit.
  std::optional<Farewell> farewell = {};
};
using State = std::variant<Greeting, Preparing, CatchingUp, Training, Finished, BrokenOff>;

struct ComesBack {};  // the connection was lost: a new life begins
struct Welcomed {
  bool training;  // the server has made a plan
};
struct SeesPlan {
  // It has accepted the plan, and is to learn from its gradient. Not so where the plan evaluates,
  // was missed while the client was away, or is in its notes.
  bool to_train_on;
};
struct BreaksOff {
  std::string reason;
  std::uint64_t revision = 0;
  std::optional<Equivocation> proof = {};
};
using Event = std::variant<ComesBack, Welcomed, SeesPlan, Farewell, BreaksOff>;

State next(const State& state, const Event& event);  // the table above

// ---- questions that several states answer alike
Stage reached(const State& state);
bool is_greeting(const State& state);
bool has_ended(const State& state);            // Finished or BrokenOff: it hears nothing more
bool has_seen_plan(const State& state);        // in this life or before
bool is_behind(const State& state);            // has come as far as CatchingUp and no further
const Farewell* farewell(const State& state);  // null: none has come

}  // namespace fedvs::protocol::doing
