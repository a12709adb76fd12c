#include "fedvs/party/own_sharing.h"

#include <optional>

#include "fedvs/base/prng.h"
#include "fedvs/base/wipe.h"
#include "fedvs/party/saved_file.h"
#include "fedvs/v1/client_state.pb.h"

namespace fedvs::party {
namespace {

using protocol::SharingId;

// The id that goes with this digest; none where the folder remembers none or another digest.
Result<std::optional<SharingId>> remembered(const std::filesystem::path& file,
                                            const Digest& shared) {
  if (!std::filesystem::exists(file)) return std::optional<SharingId>();
  v1::SavedOwnSharing from;
  FEDVS_TRY(const auto blobs, read_saved(file, from));
  SharingId id;
  Digest of;
  FEDVS_TRY_STATUS(protocol::copy_exactly(file.string(), from.id(), id.bytes));
  FEDVS_TRY_STATUS(protocol::copy_exactly(file.string(), from.shared(), of));
  return of == shared ? std::optional(id) : std::nullopt;
}

Result<SharingId> draw(const std::filesystem::path& file, const Digest& shared) {
  SharingId id;
  Prng::from_os().fill(id.bytes);
  v1::SavedOwnSharing to;
  to.set_id(id.bytes.data(), id.bytes.size());
  to.set_shared(shared.data(), shared.size());
  FEDVS_TRY_STATUS(write_saved(file, to));
  return id;
}

seal::SecretKey mask_key(const seal::SecretKey& data_key, const SharingId& id,
                         const Digest& shared) {
  Hasher hasher;
  hasher.add("fedvs data masks 1").add(data_key.bytes());
  Key256 derived = hasher.add(id.bytes).add(shared).finish();
  auto made = seal::SecretKey::copy_of(derived);
  wipe(std::span(derived));
  return made;
}

}  // namespace

Result<OwnSharing> own_sharing(const std::filesystem::path& folder, const seal::SecretKey& data_key,
                               const Digest& shared) {
  const auto file = folder / "sharing.ckpt";
  FEDVS_TRY(auto id, remembered(file, shared));
  if (!id) {
    FEDVS_TRY(id, draw(file, shared));
  }
  return OwnSharing{.id = *id, .mask_key = mask_key(data_key, *id, shared)};
}

}  // namespace fedvs::party
