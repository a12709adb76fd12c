// A file with one message of durable state (proto/fedvs/v1/*state.proto), and beside it blobs whose
// owners have a form of their own. It proves itself whole: store/checkpoint.h. Instantiated in
// saved*.cc alone, which see the generated headers.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "fedvs/base/secret_text.h"
#include "fedvs/protocol/saved.h"
#include "fedvs/store/checkpoint.h"

namespace fedvs::party {

using Blobs = std::map<std::string, std::string>;
inline constexpr const char* kMessage = "message";  // its name among them

// Replaces an older file at once or not at all. Blobs are wiped.
template <class Message>
Status write_saved(const std::filesystem::path& file, Message& message, Blobs blobs = {}) {
  blobs[kMessage] = protocol::packed(message);
  const auto written = store::write_checkpoint(file, blobs);
  for (auto& [name, bytes] : blobs) wipe_text(bytes);
  return written;
}

// The blobs, but for the message. kBadFile, kCorrupt: with the file's name and what to do about it.
template <class Message>
Result<Blobs> read_saved(const std::filesystem::path& file, Message& message,
                         std::string_view remedy = ", or train anew") {
  FEDVS_TRY(auto blobs, store::read_checkpoint(file, remedy));
  const auto found = blobs.extract(kMessage);
  if (!found) {
    return Error{ErrorCode::kBadFile,
                 file.string() +
                     " is of a release of FedVS before files had format versions; finish the run "
                     "with that release, or put back a copy of it" +
                     std::string(remedy)};
  }
  FEDVS_TRY_STATUS(protocol::unpack(file.string(), found.mapped(), message));
  return blobs;
}

}  // namespace fedvs::party
