// The sharing of a client's own rows, as its folder remembers it: sharing.ckpt. Beside state/, so
// that a client that has lost its state is the same sharing to those who hold its shares; where
// rows are scored, in the state folder of that scoring.
//   id        16 random bytes, drawn when anything that determines the shares or who holds them
//             differs from what the folder remembers
//   mask key  H(data key, id, digest of all that): not even a folder that was copied or restored
//             can mask other integers with the masks of before
#pragma once
#include <filesystem>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"
#include "fedvs/net/seal/keys.h"
#include "fedvs/protocol/identity.h"

namespace fedvs::party {

struct OwnSharing {
  protocol::SharingId id;
  seal::SecretKey mask_key;
};

// `shared`: the digest of all that determines the shares, and of who holds them. On the disk when
// it returns, before any share leaves. kBadFile, kCorrupt.
Result<OwnSharing> own_sharing(const std::filesystem::path& folder, const seal::SecretKey& data_key,
                               const Digest& shared);

}  // namespace fedvs::party
