#include "fedvs/party/door.h"

#include <fmt/format.h>

#include <utility>

namespace fedvs::party {
namespace {

template <class... Args>
Error refusal(fmt::format_string<Args...> text, Args&&... args) {
  return Error{ErrorCode::kRefused, fmt::format(text, std::forward<Args>(args)...)};
}

}  // namespace

Door::Door(const deploy::ServerFolder& folder, const ServerRows& rows)
    : folder_(folder),
      roster_(deploy::fingerprint(folder.roster)),
      rows_(rows),
      known_(folder.roster.clients.size()),
      introduced_(folder.roster.clients.size()) {}

Status Door::introduce(int client, const wire::Introduction& said) {
  const auto& name = folder_.roster.clients[static_cast<std::size_t>(client)].name;
  if (said.protocol_version != wire::kProtocolVersion) {
    return refusal("protocol version {} of {}; this server speaks {}: use the same release",
                   said.protocol_version, name, wire::kProtocolVersion);
  }
  if (said.name != name) {
    return refusal("\"{}\" has shown the certificate of \"{}\"", said.name, name);
  }
  if (said.job_digest != folder_.job_digest) {
    return refusal("{} has another job; both must have the one of the invitation", name);
  }
  if (said.roster_digest != roster_) {
    return refusal("{} has another roster; send it the server's roster.toml again", name);
  }
  if (said.rows != rows_.total) {
    return refusal("{} has {} rows, the server's file has {}; all must hold the same rows", name,
                   said.rows, rows_.total);
  }
  if (said.features == 0) return refusal("{} has no features", name);
  const auto& known = known_[static_cast<std::size_t>(client)];
  if (settled_ && known && (known->features != said.features || known->data_id != said.data_id)) {
    return refusal(
        "{} has other data or another data key than when it was shared; bring the "
        "former back, or start a new run",
        name);
  }
  introduced_[static_cast<std::size_t>(client)] = Known{said.features, said.data_id};
  return {};
}

Status Door::answer(int client, const wire::RowsAnswer& said) {
  const auto& name = folder_.roster.clients[static_cast<std::size_t>(client)].name;
  auto said_before = std::exchange(introduced_[static_cast<std::size_t>(client)], std::nullopt);
  if (!said_before) return refusal("it answers what it was not asked");
  if (!said.same) {
    return refusal(
        "{} holds {} rows, but not the ids of the label file (or the columns part and "
        "subject differ); it may come again with the right file: nothing has been "
        "shared or noted",
        name, rows_.total);
  }
  known_[static_cast<std::size_t>(client)] = said_before;
  return {};
}

void Door::forget(int client) {
  introduced_[static_cast<std::size_t>(client)].reset();
  if (!settled_) known_[static_cast<std::size_t>(client)].reset();
}

std::vector<int> Door::missing() const {
  std::vector<int> missing;
  for (std::size_t n = 0; n < known_.size(); ++n) {
    if (!known_[n]) missing.push_back(static_cast<int>(n));
  }
  return missing;
}

wire::Terms Door::terms(const std::array<std::uint8_t, 16>& run_id) const {
  wire::Terms terms{.features = {},
                    .rows = rows_.parts,
                    .classes = rows_.classes,
                    .run_id = run_id,
                    .row_ids = rows_.ids,
                    .total_rows = rows_.total,
                    .versions = rows_.versions};
  for (const auto& known : known_) terms.features.push_back(known->features);
  return terms;
}

}  // namespace fedvs::party
