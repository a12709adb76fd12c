// Who may come in: a client's introduction against the roster and what it said before, and the
// terms that everybody is told once all have introduced themselves.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fedvs/identity/server_folder.h"
#include "fedvs/party/trained.h"
#include "fedvs/wire/envelope.h"

namespace fedvs::party {

struct ServerRows {  // of the labels
  std::array<std::uint64_t, 3> parts{};
  std::uint64_t total = 0;
  Digest ids{};
  std::uint32_t classes = 0;
  Versions versions = {};  // to score with; empty: to train
};

class Door {
 public:
  Door(const identity::ServerFolder& folder, const ServerRows& rows);

  // kRefused, with the reason to tell, for another version, job, roster, name or number of rows, or
  // for other data than the client had before.
  Status introduce(int client, const wire::Introduction& introduction);
  std::vector<int> missing() const;  // have never introduced themselves
  bool complete() const { return missing().empty(); }
  wire::Terms terms(const std::array<std::uint8_t, 16>& run_id) const;  // once complete

  std::string save() const;
  Status restore(const std::string& bytes);  // kCorrupt

 private:
  struct Known {
    std::uint32_t features;
    Digest data_id;
  };
  const identity::ServerFolder& folder_;
  const Digest roster_;
  const ServerRows rows_;
  std::vector<std::optional<Known>> known_;
};

}  // namespace fedvs::party
