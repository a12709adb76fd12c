// Tells a message that was delivered before. Ask only about messages that have opened: then their
// bindings are the sender's own words.
#pragma once
#include <cstdint>
#include <map>
#include <tuple>

#include "fedvs/base/result.h"
#include "fedvs/net/seal/binding.h"

namespace fedvs::seal {

// Within a sender's life and a kind, ids must grow from message to message; gaps are allowed.
// Kinds are counted apart because the transport keeps the order within a lane only. Remembers one
// number per (sender, life, kind); what a recipient's earlier life has seen need not be remembered,
// for messages are bound to the recipient's life.
class ReplayGuard {
 public:
  Status admit(const Binding& opened);  // kRefused for an id that is not above the last one

 private:
  std::map<std::tuple<int, Life, std::uint32_t>, std::uint64_t> last_;
};

}  // namespace fedvs::seal
