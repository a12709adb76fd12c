// Who has come, over a restart of the server.
#include "fedvs/party/door.h"
#include "fedvs/protocol/saved.h"
#include "fedvs/v1/server_state.pb.h"

namespace fedvs::party {

std::string Door::save() const {
  v1::SavedDoor to;
  for (const auto& known : known_) {
    auto& client = *to.add_clients();
    if (!known) continue;
    client.set_features(known->features);
    client.set_data_id(known->data_id.data(), known->data_id.size());
  }
  to.set_row_ids(rows_.ids.data(), rows_.ids.size());
  return protocol::packed(to);
}

Status Door::restore(const std::string& bytes) {
  constexpr std::string_view kNote = "run.ckpt: the note of who has come";
  v1::SavedDoor from;
  FEDVS_TRY_STATUS(protocol::unpack(kNote, bytes, from));
  if (static_cast<std::size_t>(from.clients_size()) != known_.size()) {
    return Error{ErrorCode::kCorrupt, "notes of another roster"};
  }
  Digest ids;
  FEDVS_TRY_STATUS(protocol::copy_exactly(kNote, from.row_ids(), ids));
  if (ids != rows_.ids) {
    return Error{ErrorCode::kRefused,
                 "the labels are of other rows than those that this run began with; bring the "
                 "former file back, or start a new run"};
  }
  for (std::size_t n = 0; n < known_.size(); ++n) {
    const auto& client = from.clients(static_cast<int>(n));
    if (client.features() == 0) continue;
    auto& known = known_[n].emplace(Known{.features = client.features(), .data_id = {}});
    FEDVS_TRY_STATUS(protocol::copy_exactly(kNote, client.data_id(), known.data_id));
  }
  return {};
}

}  // namespace fedvs::party
