// Records of a party's logs, each a message with a version of its own.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"
#include "fedvs/data/prepared.h"
#include "fedvs/protocol/heads.h"
#include "fedvs/protocol/messages.h"
#include "fedvs/protocol/server/gradient_archive.h"

namespace fedvs::party {

// ---- plans-G.log: a step that a client has accepted, without its gradient
std::string plan_note(const protocol::Step& step);
Result<protocol::Step> read_plan_note(const protocol::Agreement& agreement,
                                      std::string_view record);

// ---- rows.index: a chunk of another client's rows
struct ChunkNote {
  int sender = 0;
  data::Part part{};
  std::uint64_t first = 0;
  Digest digest{};
  protocol::SharingId sharing;
};
std::string chunk_note(const ChunkNote& note);
// kCorrupt, also where this job has no such chunk.
Result<ChunkNote> read_chunk_note(const protocol::Agreement& agreement, std::string_view record);

// ---- gradients-S.log
std::string gradient_note(const protocol::SentGradient& sent, int parties);
Result<protocol::StepNumber> round_of_gradient(std::string_view record);
Result<protocol::SentGradient> read_gradient_note(const protocol::Agreement& agreement,
                                                  std::string_view record);

// ---- heads.log: a plan that was signed
struct HeadNote {
  protocol::HeadArchive::Entry entry;
  std::string step;  // as bytes; empty: forgotten
};
HeadNote head_note(const protocol::HeadArchive::Entry& entry, const protocol::Step& step);
std::string bytes_of(const HeadNote& note);
Result<HeadNote> read_head_note(std::string_view record);
Result<protocol::Step> step_of(const protocol::Agreement& agreement, const HeadNote& note);

}  // namespace fedvs::party
