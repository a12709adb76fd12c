#include "fedvs/net/wire/read_parts.h"

#include <climits>

namespace fedvs::wire {

Result<protocol::Incarnation> read_incarnation(std::string_view bytes) {
  FEDVS_TRY(const auto read, exactly<16>("an incarnation", bytes));
  return protocol::Incarnation{read};
}

Result<protocol::SharingId> read_sharing(std::string_view bytes) {
  FEDVS_TRY(const auto read, exactly<16>("a sharing", bytes));
  return protocol::SharingId{read};
}

Result<Digest> read_digest(std::string_view bytes) { return exactly<32>("a digest", bytes); }

Result<data::Part> read_part(int number) {
  if (number >= 0 && number < data::kParts) return static_cast<data::Part>(number);
  return refused(fmt::format("part {} of the data, where there are {}", number, data::kParts));
}

Result<protocol::SignedHead> read_head(const v1::Head& head) {
  FEDVS_TRY(const Digest link, read_digest(head.link()));
  FEDVS_TRY(const auto signature, exactly<64>("a signature", head.signature()));
  return protocol::SignedHead{.index = head.index(), .link = link, .signature = signature};
}

Result<protocol::LifeCard> read_card(const v1::LifeCard& card) {
  if (card.key().empty() && card.signature().empty()) return protocol::LifeCard{};
  FEDVS_TRY(const auto key, exactly<32>("a life's key", card.key()));
  if (card.signature().empty() || card.signature().size() > kSignatureBytes) {
    return refused(fmt::format("a signature of {} bytes; they have 1 to {}",
                               card.signature().size(), kSignatureBytes));
  }
  return protocol::LifeCard{.key = key, .signature = card.signature()};
}

Result<int> PartReader::party(std::uint32_t number) const {
  const auto parties = static_cast<std::uint32_t>(agreement_.shape.parties);
  if (number < parties) return static_cast<int>(number);
  return refused(fmt::format("client {} of {}", std::uint64_t{number} + 1, parties));
}

Status PartReader::at_most_parties(const char* list, int size) const {
  if (size <= agreement_.shape.parties) return {};
  return refused(fmt::format("{} {} for {} clients", size, list, agreement_.shape.parties));
}

Result<std::vector<bool>> PartReader::flags(
    const google::protobuf::RepeatedField<bool>& flags) const {
  FEDVS_TRY_STATUS(at_most_parties("flags", flags.size()));
  return std::vector<bool>(flags.begin(), flags.end());
}

Result<protocol::Version> PartReader::version(const v1::Version& version) const {
  FEDVS_TRY(const auto incarnation, read_incarnation(version.incarnation()));
  return protocol::Version{version.step(), incarnation};
}

Status PartReader::add_rows(const v1::Plan& from, protocol::Plan& plan) const {
  const std::size_t most = agreement_.most_rows(), rows = agreement_.coded_rows(plan.part);
  if (static_cast<std::size_t>(from.rows_size()) > most) {
    return refused(fmt::format("a plan of {} rows where {} are the most", from.rows_size(), most));
  }
  for (const std::uint64_t row : from.rows()) {
    if (row >= rows) return refused(fmt::format("a plan with coded row {} of {}", row, rows));
    plan.rows.push_back(row);
  }
  return {};
}

Status PartReader::add_versions(const v1::Plan& from, protocol::Plan& plan) const {
  FEDVS_TRY_STATUS(at_most_parties("versions", from.versions_size()));
  for (const v1::Version& named : from.versions()) {
    if (named.incarnation().empty()) {
      plan.versions.push_back(std::nullopt);
      continue;
    }
    FEDVS_TRY(const auto read, version(named));
    plan.versions.push_back(read);
  }
  return {};
}

Result<protocol::Plan> PartReader::plan(const v1::Plan& from) const {
  if (from.epoch() > INT_MAX) return refused(fmt::format("a plan of epoch {}", from.epoch()));
  FEDVS_TRY(const data::Part part, read_part(from.part()));
  protocol::Plan plan;
  plan.round = from.round();
  plan.revision = from.revision();
  plan.epoch = static_cast<int>(from.epoch());
  plan.part = part;
  FEDVS_TRY_STATUS(add_rows(from, plan));
  FEDVS_TRY_STATUS(add_versions(from, plan));
  return plan;
}

Result<protocol::Groups> PartReader::groups(const v1::Groups& from) const {
  FEDVS_TRY_STATUS(at_most_parties("groups", from.groups_size()));
  protocol::Groups groups;
  int members = 0;
  for (const v1::Group& group : from.groups()) {
    groups.emplace_back();
    members += group.members_size();
    FEDVS_TRY_STATUS(at_most_parties("members of groups", members));
    for (const std::uint32_t member : group.members()) {
      FEDVS_TRY(const int number, party(member));
      groups.back().push_back(number);
    }
  }
  return groups;
}

Result<std::vector<protocol::Holdings::Older>> PartReader::older(const v1::Holdings& from) const {
  const int most = protocol::Holdings::kOlder * agreement_.shape.parties,
            size = from.older_sender_size();
  if (size > most || from.older_step_size() != size || from.older_life_size() != size) {
    return refused(
        fmt::format("{} senders, {} steps and {} lives of older versions; {} are the most", size,
                    from.older_step_size(), from.older_life_size(), most));
  }
  std::vector<protocol::Holdings::Older> older;
  for (int i = 0; i < size; ++i) {
    FEDVS_TRY(const int sender, party(from.older_sender(i)));
    older.push_back({sender, {from.older_step(i), from.older_life(i)}});
  }
  return older;
}

Result<protocol::Holdings> PartReader::holdings(const v1::Holdings& from) const {
  FEDVS_TRY_STATUS(at_most_parties("newest versions", from.newest_step_size()));
  if (from.newest_life_size() != from.newest_step_size()) {
    return refused(fmt::format("{} lives of {} newest versions", from.newest_life_size(),
                               from.newest_step_size()));
  }
  protocol::Holdings holdings;
  for (int n = 0; n < from.newest_step_size(); ++n) {
    auto& newest = holdings.newest.emplace_back();
    if (from.newest_step(n) != 0) newest = {from.newest_step(n) - 1, from.newest_life(n)};
  }
  FEDVS_TRY(holdings.older, older(from));
  holdings.data_complete = from.data_complete();
  FEDVS_TRY_STATUS(at_most_parties("counts of rows", from.rows_held_size()));
  holdings.rows_held.assign(from.rows_held().begin(), from.rows_held().end());
  holdings.saved = from.saved();
  return holdings;
}

}  // namespace fedvs::wire
