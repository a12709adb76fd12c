// Keys of a job that take one of a few words: an enum each, and beside it the words that job files,
// errors and people know its values by, in its order. The only place that has them.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace fedvs {

// What is done about a model that is late: see protocol/server/version_policy.h.
enum class LateModels { kReuse, kWait, kDrop };
constexpr std::array<std::string_view, 3> words_of(LateModels) { return {"reuse", "wait", "drop"}; }

// What becomes of the group of a client that is dead.
enum class OnDead { kFreezeGroup, kRelease, kStop };
constexpr std::array<std::string_view, 3> words_of(OnDead) {
  return {"freeze-group", "release", "stop"};
}

// What a client waits for before it uploads: heads of Q clients that are max_age plans old at the
// most, heads of this very plan, nothing (docs/design/equivocation.md).
enum class OnEquivocation { kBounded, kPrevent, kDetect };
constexpr std::array<std::string_view, 3> words_of(OnEquivocation) {
  return {"bounded", "prevent", "detect"};
}

// Whether uploads are masked, or only the rows and models in them, as in the paper.
enum class OpeningKind { kMasked, kPaper };
constexpr std::array<std::string_view, 2> words_of(OpeningKind) { return {"masked", "paper"}; }

// What follows from uploads that contradict each other.
enum class OnCorrupt { kStop, kCorrect };
constexpr std::array<std::string_view, 2> words_of(OnCorrupt) { return {"stop", "correct"}; }

// An epoch that would begin while no client can learn: waited with, or trained and counted.
enum class IdleEpochs { kWait, kCount };
constexpr std::array<std::string_view, 2> words_of(IdleEpochs) { return {"wait", "count"}; }

// How shares travel in a simulation: client to client, or through the server.
enum class Topology { kDirect, kRelay };
constexpr std::array<std::string_view, 2> words_of(Topology) { return {"direct", "relay"}; }

// Whether coded rows are kept by every simulated client, or made again for each batch.
enum class DataShares { kRemade, kKept };
constexpr std::array<std::string_view, 2> words_of(DataShares) { return {"remade", "kept"}; }

// By whose clock simulated computing takes time: a model's, or this machine's.
enum class Compute { kModelled, kMeasured };
constexpr std::array<std::string_view, 2> words_of(Compute) { return {"modelled", "measured"}; }

// Which simulated clients straggle: as in the paper, or none.
enum class DelayKind { kPaper, kNone };
constexpr std::array<std::string_view, 2> words_of(DelayKind) { return {"paper", "none"}; }

// How models are trained: FedVS, or plaintext split learning to compare with.
enum class Method { kFedvs, kFedvsPaper, kWait, kIgnore, kVafl, kWaitDp };
constexpr std::array<std::string_view, 6> words_of(Method) {
  return {"fedvs", "fedvs-paper", "wait", "ignore", "vafl", "wait-dp"};
}

// Rates and batch size of a built-in data set: ours, or the paper's plain SGD.
enum class Preset { kTuned, kPaper };
constexpr std::array<std::string_view, 2> words_of(Preset) { return {"tuned", "paper"}; }

// What the server makes of the embeddings of all clients: the element-wise average (FedVS), all of
// them side by side, or the element-wise maximum.
enum class Aggregation { kAverage, kConcat, kMax };
constexpr std::array<std::string_view, 3> words_of(Aggregation) {
  return {"average", "concat", "max"};
}

template <class Choice>
constexpr std::string_view word(Choice choice) {
  return words_of(choice)[static_cast<std::size_t>(choice)];
}

}  // namespace fedvs
