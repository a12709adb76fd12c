#include "fedvs/party/saved_notes.h"

#include "fedvs/net/wire/codec.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/saved.h"
#include "fedvs/v1/client_state.pb.h"
#include "fedvs/v1/server_state.pb.h"

namespace fedvs::party {
namespace {

using protocol::Agreement;
using protocol::copy_exactly;
using protocol::corrupt;
using protocol::packed;
using protocol::SentGradient;
using protocol::Step;
using protocol::unpack;

// For people, as the file that the record is in is named by.
constexpr std::string_view kPlan = "plans-*.log: a note of a plan",
                           kChunk = "rows.index: a note of rows",
                           kGradient = "gradients-*.log: a note of a gradient",
                           kHead = "heads.log: a note of a signed plan";

Result<Step> step_in(const Agreement& agreement, std::string_view what, std::string_view bytes) {
  FEDVS_TRY(const auto message, wire::decode(agreement, bytes));
  const auto* step = std::get_if<Step>(message.get());
  if (step == nullptr) return corrupt(what, "is something else");
  return *step;
}

Result<Step> step_with_plan(const Agreement& agreement, std::string_view what,
                            std::string_view bytes) {
  FEDVS_TRY(auto step, step_in(agreement, what, bytes));
  if (!step.plan) return corrupt(what, "is no plan");
  return step;
}

}  // namespace

std::string plan_note(const Step& step) {
  Step noted = step;
  noted.gradient = nullptr;
  v1::PlanNote note;
  note.set_step(wire::encode(noted));
  return packed(note);
}

Result<Step> read_plan_note(const Agreement& agreement, std::string_view record) {
  v1::PlanNote note;
  FEDVS_TRY_STATUS(unpack(kPlan, record, note));
  return step_with_plan(agreement, kPlan, note.step());
}

std::string chunk_note(const ChunkNote& chunk) {
  v1::ChunkNote note;
  note.set_sender(static_cast<std::uint32_t>(chunk.sender));
  note.set_part(static_cast<std::uint32_t>(chunk.part));
  note.set_first(chunk.first);
  note.set_digest(chunk.digest.data(), chunk.digest.size());
  note.set_sharing(chunk.sharing.bytes.data(), chunk.sharing.bytes.size());
  return packed(note);
}

Result<ChunkNote> read_chunk_note(const Agreement& agreement, std::string_view record) {
  v1::ChunkNote note;
  FEDVS_TRY_STATUS(unpack(kChunk, record, note));
  const bool fits = note.sender() < static_cast<std::uint32_t>(agreement.shape.parties) &&
                    note.part() < data::kParts &&
                    note.first() < agreement.coded_rows(static_cast<data::Part>(note.part()));
  if (!fits) return corrupt(kChunk, "is of another job");
  ChunkNote chunk{.sender = static_cast<int>(note.sender()),
                  .part = static_cast<data::Part>(note.part()),
                  .first = note.first(),
                  .digest = {},
                  .sharing = {}};
  FEDVS_TRY_STATUS(copy_exactly(kChunk, note.digest(), chunk.digest));
  FEDVS_TRY_STATUS(copy_exactly(kChunk, note.sharing(), chunk.sharing.bytes));
  return chunk;
}

// The step is as a client would get it.
std::string gradient_note(const SentGradient& sent, int parties) {
  const std::vector<bool> none(static_cast<std::size_t>(parties), false);
  v1::GradientNote note;
  note.set_round(sent.gradient->plan().round);
  note.set_before(sent.before.data(), sent.before.size());
  note.set_step(wire::encode(Step{.gradient = sent.gradient,
                                  .share = none,
                                  .plan = {},
                                  .groups = {},
                                  .frozen = none,
                                  .released = none,
                                  .rate_factor = sent.rate_factor}));
  return packed(note);
}

Result<protocol::StepNumber> round_of_gradient(std::string_view record) {
  v1::GradientNote note;
  FEDVS_TRY_STATUS(unpack(kGradient, record, note));
  return note.round();
}

Result<SentGradient> read_gradient_note(const Agreement& agreement, std::string_view record) {
  v1::GradientNote note;
  FEDVS_TRY_STATUS(unpack(kGradient, record, note));
  FEDVS_TRY(const auto step, step_in(agreement, kGradient, note.step()));
  if (!step.gradient) return corrupt(kGradient, "has none");
  SentGradient sent{.gradient = step.gradient, .rate_factor = step.rate_factor, .before = {}};
  FEDVS_TRY_STATUS(copy_exactly(kGradient, note.before(), sent.before));
  return sent;
}

HeadNote head_note(const protocol::HeadArchive::Entry& entry, const Step& step) {
  return {.entry = entry, .step = wire::encode(protocol::missed_form(step))};
}

std::string bytes_of(const HeadNote& head) {
  v1::HeadNote note;
  note.set_content(head.entry.content.data(), head.entry.content.size());
  note.set_link(head.entry.link.data(), head.entry.link.size());
  note.set_step(head.step);
  return packed(note);
}

Result<HeadNote> read_head_note(std::string_view record) {
  v1::HeadNote note;
  FEDVS_TRY_STATUS(unpack(kHead, record, note));
  HeadNote head{.entry = {}, .step = std::move(*note.mutable_step())};
  FEDVS_TRY_STATUS(copy_exactly(kHead, note.content(), head.entry.content));
  FEDVS_TRY_STATUS(copy_exactly(kHead, note.link(), head.entry.link));
  return head;
}

Result<Step> step_of(const Agreement& agreement, const HeadNote& note) {
  return step_with_plan(agreement, kHead, note.step);
}

}  // namespace fedvs::party
