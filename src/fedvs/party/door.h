// Who may come in: a client's introduction against the roster and what it said before, whether its
// rows are the server's, and the terms that everybody is told once all have come. Until rows are
// shared nothing is final: a client may come again with another file.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fedvs/deploy/server_folder.h"
#include "fedvs/net/wire/envelope.h"
#include "fedvs/party/trained.h"

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
  Door(const deploy::ServerFolder& folder, const ServerRows& rows);

  // kRefused, with the reason to tell, for another version, job, roster, name or number of rows, or
  // for other data than the client had when it was settled.
  Status introduce(int client, const wire::Introduction& introduction);
  wire::RowsOffer offer() const {
    return {.row_ids = rows_.ids, .total_rows = rows_.total, .scores = !rows_.versions.empty()};
  }
  // It has introduced itself, and now counts as come if its rows are those of the offer. kRefused,
  // in words for both operators, if they are not.
  Status answer(int client, const wire::RowsAnswer& said);
  void forget(int client);            // it is away, and may come with something else
  void settle() { settled_ = true; }  // rows are being shared
  bool settled() const { return settled_; }
  std::vector<int> missing() const;  // have not come
  bool complete() const { return missing().empty(); }
  wire::Terms terms(const std::array<std::uint8_t, 16>& run_id) const;  // once complete

  std::string save() const;
  Status restore(const std::string& bytes);  // kCorrupt

 private:
  struct Known {
    std::uint32_t features;
    Digest data_id;
  };
  const deploy::ServerFolder& folder_;
  const Digest roster_;
  const ServerRows rows_;
  std::vector<std::optional<Known>> known_;
  std::vector<std::optional<Known>> introduced_;  // and not answered yet
  bool settled_ = false;
};

}  // namespace fedvs::party
