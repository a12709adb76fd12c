#include "fedvs/protocol/client/states.h"

#include "fedvs/base/check.h"

namespace fedvs::protocol::doing {
namespace {

template <class S>
bool in(const State& state) {
  return std::holds_alternative<S>(state);
}

State taking_part(Stage stage) {
  switch (stage) {
    case Stage::kPreparing:
      return Preparing{};
    case Stage::kCatchingUp:
      return CatchingUp{};
    case Stage::kTraining:
      break;
  }
  return Training{};
}

State after(const State& state, const ComesBack&) {
  if (has_ended(state)) return state;
  return Greeting{reached(state)};
}

State after(const State& state, const Welcomed& welcomed) {
  FEDVS_CHECK(is_greeting(state), "only a client that has said hello is welcomed");
  if (welcomed.training || has_seen_plan(state)) return CatchingUp{};
  return Preparing{};
}

State after(const State& state, const SeesPlan& plan) {
  FEDVS_CHECK(!has_ended(state), "a client that has ended sees no plan");
  const bool stays_behind = is_behind(state) && !plan.to_train_on;
  const Stage stage = stays_behind ? Stage::kCatchingUp : Stage::kTraining;
  return is_greeting(state) ? State(Greeting{stage}) : taking_part(stage);
}

State after(const State& state, const Farewell& farewell) {
  FEDVS_CHECK(!has_ended(state), "a client that has ended hears no farewell");
  return Finished{reached(state), farewell};
}

State after(const State& state, const BreaksOff& why) {
  const Farewell* said = farewell(state);
  return BrokenOff{.reason = why.reason,
                   .revision = why.revision,
                   .proof = why.proof,
                   .reached = reached(state),
                   .farewell = said ? std::optional(*said) : std::nullopt};
}

}  // namespace

State next(const State& state, const Event& event) {
  return std::visit([&](const auto& e) { return after(state, e); }, event);
}

Stage reached(const State& state) {
  if (const auto* greeting = std::get_if<Greeting>(&state)) return greeting->reached;
  if (const auto* finished = std::get_if<Finished>(&state)) return finished->reached;
  if (const auto* broken = std::get_if<BrokenOff>(&state)) return broken->reached;
  if (in<Preparing>(state)) return Stage::kPreparing;
  return in<CatchingUp>(state) ? Stage::kCatchingUp : Stage::kTraining;
}

bool is_greeting(const State& state) { return in<Greeting>(state); }

bool has_ended(const State& state) { return in<Finished>(state) || in<BrokenOff>(state); }

bool has_seen_plan(const State& state) { return reached(state) != Stage::kPreparing; }

bool is_behind(const State& state) { return reached(state) == Stage::kCatchingUp; }

const Farewell* farewell(const State& state) {
  if (const auto* finished = std::get_if<Finished>(&state)) return &finished->farewell;
  const auto* broken = std::get_if<BrokenOff>(&state);
  return broken && broken->farewell ? &*broken->farewell : nullptr;
}

}  // namespace fedvs::protocol::doing
