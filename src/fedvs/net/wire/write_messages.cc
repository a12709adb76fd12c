#include "fedvs/net/wire/write_messages.h"

#include "fedvs/net/wire/frame.h"
#include "fedvs/net/wire/limits.h"
#include "fedvs/net/wire/pack.h"
#include "fedvs/net/wire/text.h"
#include "fedvs/net/wire/write_parts.h"

namespace fedvs::wire {
namespace {

using Pb = v1::Message;

std::uint32_t number(int party) { return static_cast<std::uint32_t>(party); }

// The head's shape, if there is a matrix, and the frame around both.
template <class Head>
std::string with_matrix(int kind, Head& head, const field::RingMatrix* values) {
  if (values != nullptr) {
    head.mutable_shape()->set_rows(values->rows());
    head.mutable_shape()->set_cols(values->cols());
  }
  const std::size_t size = values == nullptr ? 0 : values->wire_bytes();
  std::string out = begin_frame(static_cast<std::uint32_t>(kind), head, size);
  if (values != nullptr) append_residues(out, *values);
  return out;
}

// A share that is not bytes yet becomes so here; the matrix is wiped when it goes.
template <class Head>
std::string with_share(int kind, Head& head, const protocol::Share* share) {
  if (share == nullptr) return with_matrix(kind, head, nullptr);
  const bool empty = share->rows() == 0 || share->cols() == 0;
  const field::RingMatrix values = empty ? field::RingMatrix() : share->matrix();
  return with_matrix(kind, head, &values);
}

template <class Head>
std::string without_values(int kind, const Head& head) {
  return begin_frame(static_cast<std::uint32_t>(kind), head, 0);
}

}  // namespace

static void write_card(const protocol::LifeCard& card, v1::LifeCard& out) {
  if (card.signature.empty()) return;
  out.set_key(bytes_of(card.key));
  out.set_signature(card.signature);
}

std::string write_message(const protocol::Hello& hello) {
  v1::Hello out;
  out.set_from(number(hello.from));
  out.set_incarnation(bytes_of(hello.incarnation.bytes));
  out.set_step(hello.step);
  out.set_chain(bytes_of(hello.chain));
  write_card(hello.card, *out.mutable_card());
  out.set_sharing(bytes_of(hello.sharing.bytes));
  out.set_seeds(bytes_of(hello.seeds));
  if (!hello.groups.empty()) write(hello.groups, *out.mutable_groups());
  if (hello.head) write(*hello.head, *out.mutable_head());
  return without_values(Pb::kHelloFieldNumber, out);
}

std::string write_message(const protocol::Welcome& welcome) {
  v1::Welcome out;
  out.set_server(bytes_of(welcome.server.bytes));
  for (const auto& client : welcome.clients) out.add_clients(bytes_of(client.bytes));
  for (const auto& card : welcome.cards) write_card(card, *out.add_cards());
  out.set_training(welcome.training);
  for (const auto& sharing : welcome.sharings) out.add_sharings(bytes_of(sharing.bytes));
  for (const auto& list : welcome.seeds) out.add_seeds(bytes_of(list));
  for (const auto& step : welcome.named) out.add_named_step(step ? *step + 1 : 0);
  return without_values(Pb::kWelcomeFieldNumber, out);
}

std::string write_message(const protocol::RowKey& key) {
  v1::RowKey head;
  head.set_from(number(key.from));
  std::string out = begin_frame(Pb::kRowKeyFieldNumber, head, key.key.size());
  return out.append(reinterpret_cast<const char*>(key.key.data()), key.key.size());
}

std::string write_message(const protocol::RowCheck& check) {
  v1::RowCheck out;
  out.set_from(number(check.from));
  out.set_rows(check.rows);
  out.set_digest(bytes_of(check.digest));
  if (!check.groups.empty()) write(check.groups, *out.mutable_groups());
  return without_values(Pb::kRowCheckFieldNumber, out);
}

std::string write_message(const protocol::RowVerdict& verdict) {
  v1::RowVerdict out;
  out.set_from(number(verdict.from));
  out.set_incarnation(bytes_of(verdict.incarnation.bytes));
  for (const int other : verdict.differ) out.add_differ(number(other));
  return without_values(Pb::kRowVerdictFieldNumber, out);
}

std::string write_message(const protocol::DataRequest& request) {
  v1::DataRequest out;
  out.set_from(number(request.from));
  out.set_part(static_cast<v1::Part>(request.part));
  out.set_first_row(request.first_row);
  return without_values(Pb::kDataRequestFieldNumber, out);
}

std::string write_message(const protocol::DataShare& share) {
  v1::DataShare out;
  out.set_from(number(share.from));
  out.set_part(static_cast<v1::Part>(share.part));
  out.set_first_row(share.first_row);
  out.set_sharing(bytes_of(share.sharing.bytes));
  return with_matrix(Pb::kDataShareFieldNumber, out, share.values.get());
}

std::string write_message(const protocol::ModelShare& share) {
  v1::ModelShare out;
  out.set_from(number(share.from));
  write(share.version, *out.mutable_version());
  out.set_chain(bytes_of(share.chain));
  if (share.head) write(*share.head, *out.mutable_head());
  return with_share(Pb::kModelShareFieldNumber, out, share.values.get());
}

std::string write_message(const protocol::ModelRequest& request) {
  v1::ModelRequest out;
  out.set_from(number(request.from));
  out.set_held_step(request.held ? request.held->step + 1 : 0);
  out.set_held_life(request.held ? request.held->short_id : 0);
  return without_values(Pb::kModelRequestFieldNumber, out);
}

std::string write_message(const protocol::SeedShare& share) {
  v1::SeedShare head;
  head.set_from(number(share.from));
  head.set_maker(number(share.maker));
  for (const auto& commitment : share.commitments) head.add_commitments(bytes_of(commitment));
  for (const auto& entry : share.seeds) head.add_sets(entry.set);
  std::string out =
      begin_frame(Pb::kSeedShareFieldNumber, head, share.seeds.size() * sizeof(Key256));
  for (const auto& entry : share.seeds) {
    out.append(reinterpret_cast<const char*>(entry.seed.data()), entry.seed.size());
  }
  return out;
}

std::string write_message(const protocol::SeedRequest& request) {
  v1::SeedRequest out;
  out.set_from(number(request.from));
  return without_values(Pb::kSeedRequestFieldNumber, out);
}

namespace {

// All of a step but the values of its gradient.
void write_head(const protocol::Step& step, v1::Step& head) {
  if (step.gradient) write(step.gradient->plan(), *head.mutable_gradient()->mutable_plan());
  head.mutable_share()->Assign(step.share.begin(), step.share.end());
  if (step.plan) write(*step.plan, *head.mutable_plan());
  if (step.groups) write(*step.groups, *head.mutable_groups());
  head.mutable_frozen()->Assign(step.frozen.begin(), step.frozen.end());
  head.mutable_released()->Assign(step.released.begin(), step.released.end());
  head.set_rate_factor(step.rate_factor);
  if (step.head) write(*step.head, *head.mutable_head());
}

}  // namespace

std::string write_message(const protocol::Step& step) {
  v1::Step head;
  write_head(step, head);
  const std::span<const float> values =
      step.gradient ? std::span<const float>(step.gradient->values()) : std::span<const float>();
  std::string out = begin_frame(Pb::kStepFieldNumber, head, values.size_bytes());
  append_floats(out, values);
  return out;
}

std::string write_message(const protocol::Upload& upload) {
  v1::Upload out;
  out.set_from(number(upload.from));
  out.set_revision(upload.revision);
  out.set_tag(bytes_of(upload.tag));
  write(upload.holdings, *out.mutable_holdings());
  return with_matrix(Pb::kUploadFieldNumber, out, upload.values.get());
}

std::string write_message(const protocol::Report& report) {
  v1::Report out;
  out.set_from(number(report.from));
  write(report.holdings, *out.mutable_holdings());
  out.set_agreeing(report.agreeing ? number(*report.agreeing) + 1 : 0);
  out.set_finished(report.finished);
  return without_values(Pb::kReportFieldNumber, out);
}

std::string write_message(const protocol::ReportRequest& request) {
  v1::ReportRequest out;
  out.set_fetch_again(request.fetch_again);
  return without_values(Pb::kReportRequestFieldNumber, out);
}

std::string write_message(const protocol::Refusal& refusal) {
  v1::Refusal out;
  out.set_from(number(refusal.from));
  out.set_revision(refusal.revision);
  out.set_reason(printable(refusal.reason, kReasonBytes));
  return without_values(Pb::kRefusalFieldNumber, out);
}

std::string write_message(const protocol::Complaint& complaint) {
  v1::Complaint out;
  out.set_from(number(complaint.from));
  out.set_about(number(complaint.about));
  out.set_reason(printable(complaint.reason, kComplaintBytes));
  return without_values(Pb::kComplaintFieldNumber, out);
}

std::string write_message(const protocol::Regather&) {
  return without_values(Pb::kRegatherFieldNumber, v1::Regather());
}

std::string write_message(const protocol::MissedPlan& missed) {
  v1::MissedPlan out;
  write_head(missed.step, *out.mutable_step());
  out.set_more(missed.more);
  return without_values(Pb::kMissedPlanFieldNumber, out);
}

std::string write_message(const protocol::Echo& echo) {
  v1::Echo out;
  out.set_from(number(echo.from));
  write(echo.head, *out.mutable_head());
  out.set_kind(static_cast<v1::Echo::Kind>(echo.kind));
  return without_values(Pb::kEchoFieldNumber, out);
}

std::string write_message(const protocol::Farewell& farewell) {
  v1::Farewell out;
  out.set_ending(static_cast<v1::Ending>(farewell.ending));
  out.set_reason(printable(farewell.reason, kReasonBytes));
  return without_values(Pb::kFarewellFieldNumber, out);
}

}  // namespace fedvs::wire
