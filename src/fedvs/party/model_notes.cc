#include "fedvs/party/model_notes.h"

#include <algorithm>

#include "fedvs/base/log.h"
#include "fedvs/base/secret_text.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/net/wire/limits.h"

namespace fedvs::party {
namespace {

std::size_t largest_model(const protocol::Agreement& agreement) {
  std::size_t most = 0;
  for (int n = 0; n < agreement.shape.parties; ++n) {
    const auto extent = wire::largest_model_share(agreement, n);
    most = std::max(most, extent.rows * extent.cols);
  }
  constexpr std::size_t kHead = 1024;
  return most * static_cast<std::size_t>(agreement.ring.bytes_per_element()) + kHead;
}

}  // namespace

Status recall_model(const protocol::Agreement& agreement, protocol::Client& client,
                    std::string_view message) {
  FEDVS_TRY(const auto decoded, wire::decode(agreement, message));
  const auto* share = std::get_if<protocol::ModelShare>(decoded.get());
  if (share == nullptr) return Error{ErrorCode::kCorrupt, "a note that is no model"};
  client.recall_model(*share);
  return {};
}

Result<ModelNotes> ModelNotes::open(const std::filesystem::path& file,
                                    const protocol::Agreement& agreement) {
  const int senders = agreement.shape.parties;
  FEDVS_TRY(auto records, store::NewestRecords::open(file, static_cast<std::size_t>(senders),
                                                     largest_model(agreement)));
  return ModelNotes(std::move(records), senders);
}

void ModelNotes::add(const protocol::ModelShare& share) {
  const auto record = SecretText::take(wire::encode(share));
  records_.put(static_cast<std::size_t>(share.from), record.view());
}

void ModelNotes::recall(const protocol::Agreement& agreement, protocol::Client& client) const {
  for (int n = 0; n < senders_; ++n) {
    for (auto& record : records_.read(static_cast<std::size_t>(n))) {
      const auto model = SecretText::take(std::move(record));
      const auto recalled = recall_model(agreement, client, model.view());
      if (!recalled) log::warning("state/models: {}", recalled.error().message);
    }
  }
}

}  // namespace fedvs::party
