// What clients found when they compared their row ids among themselves (protocol::RowVerdict). No
// single client decides: most of all clients must say the same.
#pragma once
#include <optional>
#include <vector>

#include "fedvs/protocol/messages.h"

namespace fedvs::party {

class RowVerdicts {
 public:
  explicit RowVerdicts(int clients) : said_(static_cast<std::size_t>(clients)) {}

  void begin_life(int client, const protocol::Incarnation& life);  // it has compared nothing yet
  void add(const protocol::RowVerdict& verdict);  // of the life that the client has now
  void forget_all() { said_.assign(said_.size(), {}); }

  bool all_agree() const;              // in the words of most clients
  std::vector<int> differing() const;  // each in the words of most clients
  bool all_said() const;

 private:
  struct Said {
    protocol::Incarnation life;
    std::optional<std::vector<int>> differ;
  };
  bool most(std::ptrdiff_t clients) const {
    return 2 * clients > static_cast<std::ptrdiff_t>(said_.size());
  }
  std::vector<Said> said_;  // by client
};

}  // namespace fedvs::party
