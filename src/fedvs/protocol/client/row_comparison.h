// Whether all clients have the same rows in the same order, before any of them is shared: each
// tells all others how many it has and a keyed digest of their ids (RowCheck).
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "fedvs/protocol/messages.h"
#include "fedvs/protocol/per_client.h"

namespace fedvs::protocol {

class RowComparison {
 public:
  // `line_up`: found in an earlier life.
  RowComparison(int clients, int self, bool line_up)
      : self_(self), line_up_(line_up), checks_(clients) {}

  void begin_life();  // everybody is to tell again; what was found before stays found
  // True once per life: when the last of all clients has told.
  bool take(const RowCheck& check);

  // ---- needs the checks of all
  // Those who are not with most of the clients; where most do not agree, those not with this one.
  std::vector<int> differing() const;
  std::uint64_t rows_of(int client) const { return checks_[client]->rows; }
  std::vector<Groups> groups() const;  // that each is bound to

  bool line_up() const { return line_up_; }
  bool find_to_line_up() { return !std::exchange(line_up_, true); }  // true: it was not known yet
  void doubt() { line_up_ = false; }  // somebody shares other rows than before

  // ---- requests for rows that came before they were found to line up: a few of each client
  void keep(const DataRequest& request);
  std::vector<DataRequest> take_requests() { return std::exchange(requests_, {}); }

 private:
  const int self_;
  bool line_up_;
  bool compared_ = false;  // in this life
  PerClient<std::optional<RowCheck>> checks_;
  std::vector<DataRequest> requests_;
};

}  // namespace fedvs::protocol
