#include "fedvs/net/wire/read_messages.h"

#include "fedvs/net/wire/limits.h"
#include "fedvs/net/wire/pack.h"
#include "fedvs/net/wire/text.h"

namespace fedvs::wire {
namespace {

// Nothing where the head has no shape.
template <class Head>
Result<std::optional<field::RingMatrix>> matrix_of(const field::Ring& ring, const Head& head,
                                                   Extent most, std::string_view values) {
  if (!head.has_shape()) {
    if (values.empty()) return std::optional<field::RingMatrix>();
    return refused(fmt::format("{} bytes of values without a shape", values.size()));
  }
  const Extent extent{head.shape().rows(), head.shape().cols()};
  FEDVS_TRY(auto matrix, unpack_matrix(ring, extent, most, values));
  return std::optional(std::move(matrix));
}

protocol::MatrixPtr kept(std::optional<field::RingMatrix> matrix) {
  if (!matrix) return nullptr;
  return std::make_shared<const field::RingMatrix>(std::move(*matrix));
}

protocol::SharePtr kept_share(std::optional<field::RingMatrix> matrix) {
  return matrix ? protocol::share_of(std::move(*matrix)) : nullptr;
}

}  // namespace

Result<protocol::Hello> MessageReader::read(const v1::Hello& head) const {
  FEDVS_TRY(const int from, parts_.party(head.from()));
  FEDVS_TRY(const auto incarnation, read_incarnation(head.incarnation()));
  FEDVS_TRY(const Digest chain, read_digest(head.chain()));
  FEDVS_TRY(auto card, read_card(head.card()));
  FEDVS_TRY(const auto sharing, read_sharing(head.sharing()));
  FEDVS_TRY(const Digest seeds, read_digest(head.seeds()));
  FEDVS_TRY(auto groups, parts_.groups(head.groups()));
  FEDVS_TRY(const auto plans, head_of(head));
  return protocol::Hello{.from = from,
                         .incarnation = incarnation,
                         .step = head.step(),
                         .chain = chain,
                         .card = std::move(card),
                         .sharing = sharing,
                         .seeds = seeds,
                         .groups = std::move(groups),
                         .head = plans};
}

Result<protocol::Welcome> MessageReader::read(const v1::Welcome& head) const {
  FEDVS_TRY(const auto server, read_incarnation(head.server()));
  FEDVS_TRY_STATUS(parts_.at_most_parties("incarnations", head.clients_size()));
  FEDVS_TRY_STATUS(parts_.at_most_parties("keys of lives", head.cards_size()));
  FEDVS_TRY_STATUS(parts_.at_most_parties("sharings", head.sharings_size()));
  protocol::Welcome welcome{.server = server, .clients = {}, .training = head.training()};
  for (const std::string& client : head.clients()) {
    FEDVS_TRY(const auto incarnation, read_incarnation(client));
    welcome.clients.push_back(incarnation);
  }
  for (const auto& card : head.cards()) {
    FEDVS_TRY(auto read, read_card(card));
    welcome.cards.push_back(std::move(read));
  }
  for (const std::string& id : head.sharings()) {
    FEDVS_TRY(const auto sharing, read_sharing(id));
    welcome.sharings.push_back(sharing);
  }
  FEDVS_TRY_STATUS(parts_.at_most_parties("lists of seeds", head.seeds_size()));
  for (const std::string& digest : head.seeds()) {
    FEDVS_TRY(const Digest list, read_digest(digest));
    welcome.seeds.push_back(list);
  }
  FEDVS_TRY_STATUS(parts_.at_most_parties("named steps", head.named_step_size()));
  for (const std::uint64_t step : head.named_step()) {
    welcome.named.push_back(step == 0 ? std::nullopt : std::optional(step - 1));
  }
  return welcome;
}

Result<protocol::RowKey> MessageReader::read(const v1::RowKey& head) const {
  FEDVS_TRY(const int from, parts_.party(head.from()));
  FEDVS_TRY(const auto key, exactly<32>("a key", values_));
  return protocol::RowKey{.from = from, .key = key};
}

Result<protocol::RowCheck> MessageReader::read(const v1::RowCheck& head) const {
  FEDVS_TRY(const int from, parts_.party(head.from()));
  FEDVS_TRY(const Digest digest, read_digest(head.digest()));
  FEDVS_TRY(auto groups, parts_.groups(head.groups()));
  return protocol::RowCheck{
      .from = from, .rows = head.rows(), .digest = digest, .groups = std::move(groups)};
}

Result<protocol::RowVerdict> MessageReader::read(const v1::RowVerdict& head) const {
  FEDVS_TRY(const int from, parts_.party(head.from()));
  FEDVS_TRY(const auto incarnation, read_incarnation(head.incarnation()));
  FEDVS_TRY_STATUS(parts_.at_most_parties("clients that differ", head.differ_size()));
  protocol::RowVerdict verdict{.from = from, .incarnation = incarnation, .differ = {}};
  for (const std::uint32_t other : head.differ()) {
    FEDVS_TRY(const int client, parts_.party(other));
    verdict.differ.push_back(client);
  }
  return verdict;
}

Result<protocol::DataRequest> MessageReader::read(const v1::DataRequest& head) const {
  FEDVS_TRY(const int from, parts_.party(head.from()));
  FEDVS_TRY(const data::Part part, read_part(head.part()));
  return protocol::DataRequest{.from = from, .part = part, .first_row = head.first_row()};
}

Result<protocol::DataShare> MessageReader::read(const v1::DataShare& head) const {
  const auto& agreement = parts_.agreement();
  FEDVS_TRY(const int from, parts_.party(head.from()));
  FEDVS_TRY(const data::Part part, read_part(head.part()));
  const Extent most = largest_data_share(agreement, from);
  FEDVS_TRY(auto values, matrix_of(agreement.ring, head, most, values_));
  FEDVS_TRY(const auto sharing, read_sharing(head.sharing()));
  return protocol::DataShare{.from = from,
                             .part = part,
                             .first_row = head.first_row(),
                             .values = kept(std::move(values)),
                             .sharing = sharing};
}

Result<protocol::ModelShare> MessageReader::read(const v1::ModelShare& head) const {
  const auto& agreement = parts_.agreement();
  FEDVS_TRY(const int from, parts_.party(head.from()));
  FEDVS_TRY(const auto version, parts_.version(head.version()));
  FEDVS_TRY(const Digest chain, read_digest(head.chain()));
  FEDVS_TRY(const auto plans, head_of(head));
  const Extent most = largest_model_share(agreement, from);
  FEDVS_TRY(auto values, matrix_of(agreement.ring, head, most, values_));
  return protocol::ModelShare{.from = from,
                              .version = version,
                              .chain = chain,
                              .values = kept_share(std::move(values)),
                              .head = plans};
}

Result<protocol::ModelRequest> MessageReader::read(const v1::ModelRequest& head) const {
  FEDVS_TRY(const int from, parts_.party(head.from()));
  protocol::ModelRequest request{.from = from, .held = {}};
  if (head.held_step() != 0) request.held = {head.held_step() - 1, head.held_life()};
  return request;
}

Result<protocol::SeedShare> MessageReader::read(const v1::SeedShare& head) const {
  const auto& family = parts_.agreement().family;
  const std::size_t most = family ? family->sets.size() : 0;
  const auto sets = static_cast<std::size_t>(head.sets_size());
  if (sets > most || static_cast<std::size_t>(head.commitments_size()) > most) {
    return refused(fmt::format("{} seeds and {} commitments, where there are {} sets", sets,
                               head.commitments_size(), most));
  }
  constexpr std::size_t kSeedBytes = sizeof(Key256);
  if (values_.size() != sets * kSeedBytes) {
    return refused(fmt::format("{} bytes of {} seeds", values_.size(), sets));
  }
  FEDVS_TRY(const int from, parts_.party(head.from()));
  FEDVS_TRY(const int maker, parts_.party(head.maker()));
  protocol::SeedShare share{.from = from, .maker = maker, .commitments = {}, .seeds = {}};
  for (const std::string& bytes : head.commitments()) {
    FEDVS_TRY(const Digest commitment, read_digest(bytes));
    share.commitments.push_back(commitment);
  }
  for (std::size_t i = 0; i < sets; ++i) {
    FEDVS_TRY(const auto seed,
              exactly<kSeedBytes>("a seed", values_.substr(i * kSeedBytes, kSeedBytes)));
    share.seeds.push_back({head.sets(static_cast<int>(i)), seed});
  }
  return share;
}

Result<protocol::SeedRequest> MessageReader::read(const v1::SeedRequest& head) const {
  FEDVS_TRY(const int from, parts_.party(head.from()));
  return protocol::SeedRequest{.from = from};
}

Result<protocol::Step> MessageReader::read(const v1::Step& head) const {
  protocol::Step step;
  FEDVS_TRY(step.share, parts_.flags(head.share()));
  FEDVS_TRY(step.frozen, parts_.flags(head.frozen()));
  FEDVS_TRY(step.released, parts_.flags(head.released()));
  step.rate_factor = head.rate_factor();
  FEDVS_TRY(step.head, head_of(head));
  if (head.has_plan()) {
    FEDVS_TRY(auto plan, parts_.plan(head.plan()));
    step.plan = std::make_shared<const protocol::Plan>(std::move(plan));
  }
  if (head.has_groups()) {
    FEDVS_TRY(auto groups, parts_.groups(head.groups()));
    step.groups = std::make_shared<const protocol::Groups>(std::move(groups));
  }
  if (!head.has_gradient()) {
    if (values_.empty()) return step;
    return refused(fmt::format("{} bytes of values without a gradient", values_.size()));
  }
  FEDVS_TRY(auto plan, parts_.plan(head.gradient().plan()));
  const std::size_t most = largest_gradient(parts_.agreement(), plan.rows.size());
  FEDVS_TRY(auto values, unpack_floats(values_, most));
  step.gradient = std::make_shared<const protocol::Gradient>(
      std::make_shared<const protocol::Plan>(std::move(plan)), std::move(values));
  return step;
}

Result<protocol::Upload> MessageReader::read(const v1::Upload& head) const {
  const auto& agreement = parts_.agreement();
  FEDVS_TRY(const int from, parts_.party(head.from()));
  FEDVS_TRY(auto holdings, parts_.holdings(head.holdings()));
  FEDVS_TRY(auto values, matrix_of(agreement.ring, head, largest_batch(agreement), values_));
  FEDVS_TRY(const Digest tag, read_digest(head.tag()));
  return protocol::Upload{.from = from,
                          .revision = head.revision(),
                          .tag = tag,
                          .values = kept(std::move(values)),
                          .holdings = std::move(holdings)};
}

Result<protocol::Report> MessageReader::read(const v1::Report& head) const {
  FEDVS_TRY(const int from, parts_.party(head.from()));
  FEDVS_TRY(auto holdings, parts_.holdings(head.holdings()));
  protocol::Report report{
      .from = from, .holdings = std::move(holdings), .finished = head.finished()};
  if (head.agreeing() == 0) return report;
  FEDVS_TRY(report.agreeing, parts_.party(head.agreeing() - 1));  // not all of them: it waits
  return report;
}

Result<protocol::ReportRequest> MessageReader::read(const v1::ReportRequest& head) const {
  return protocol::ReportRequest{.fetch_again = head.fetch_again()};
}

Result<protocol::Refusal> MessageReader::read(const v1::Refusal& head) const {
  FEDVS_TRY(const int from, parts_.party(head.from()));
  return protocol::Refusal{
      .from = from, .revision = head.revision(), .reason = printable(head.reason(), kReasonBytes)};
}

Result<protocol::Complaint> MessageReader::read(const v1::Complaint& head) const {
  FEDVS_TRY(const int from, parts_.party(head.from()));
  FEDVS_TRY(const int about, parts_.party(head.about()));
  return protocol::Complaint{
      .from = from, .about = about, .reason = printable(head.reason(), kComplaintBytes)};
}

Result<protocol::Regather> MessageReader::read(const v1::Regather&) const {
  return protocol::Regather{};
}

Result<protocol::MissedPlan> MessageReader::read(const v1::MissedPlan& head) const {
  FEDVS_TRY(auto step, read(head.step()));
  return protocol::MissedPlan{.step = std::move(step), .more = head.more()};
}

Result<protocol::Echo> MessageReader::read(const v1::Echo& head) const {
  constexpr int kKindsOfEcho = static_cast<int>(protocol::Echo::Kind::kWarn) + 1;
  FEDVS_TRY(const int from, parts_.party(head.from()));
  FEDVS_TRY(const auto plans, read_head(head.head()));
  if (head.kind() < 0 || head.kind() >= kKindsOfEcho) {
    return refused(fmt::format("kind {} of echo, where there are {}", static_cast<int>(head.kind()),
                               kKindsOfEcho));
  }
  return protocol::Echo{
      .from = from, .head = plans, .kind = static_cast<protocol::Echo::Kind>(head.kind())};
}

Result<protocol::Farewell> MessageReader::read(const v1::Farewell& head) const {
  constexpr int kEndings = static_cast<int>(protocol::Ending::kRefused) + 1;
  if (head.ending() < 0 || head.ending() >= kEndings) {
    return refused(
        fmt::format("ending {}, where there are {}", static_cast<int>(head.ending()), kEndings));
  }
  return protocol::Farewell{.ending = static_cast<protocol::Ending>(head.ending()),
                            .reason = printable(head.reason(), kReasonBytes)};
}

}  // namespace fedvs::wire
