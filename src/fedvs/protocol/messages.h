// What parties say to each other. Immutable once sent, so that one object serves all recipients of
// a broadcast in one process.
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "fedvs/field/ring_matrix.h"
#include "fedvs/protocol/plan.h"
#include "fedvs/protocol/share.h"

namespace fedvs::protocol {

using MatrixPtr = std::shared_ptr<const field::RingMatrix>;

// ---- before training
struct Hello {  // client -> server
  int from;
  Incarnation incarnation;
};
struct Welcome {  // server -> clients
  Incarnation server;
  std::vector<Incarnation> clients;
};
struct DataShare {  // client -> client: F_n(alpha_m) of some coded rows, Eq. (2)
  int from;
  data::Part part;
  std::size_t first_row;
  MatrixPtr values;  // rows x inputs of the sender, in one row; null where nobody keeps them
};

// ---- every round
struct ModelShare {  // client -> client: G_n(alpha_m), Eq. (4)
  int from;
  Version version;
  Digest chain;     // link of the gradients applied so far
  SharePtr values;  // W~ in the product's panels (field/panels.h)
};
struct MaskShare {  // client -> client: O(alpha_m) of a zero mask
  MaskId id;
  Incarnation recipient;
  SharePtr values;  // mask_rows x width
};
// What a client holds, in a few bytes: the newest step of every sender's model, and how many masks
// of every dealer have arrived (they are numbered from 0).
struct Holdings {
  std::vector<std::optional<StepNumber>> newest_step;
  std::vector<std::uint64_t> masks[kMaskPools];
  bool data_complete = false;
};
struct Step {  // server -> clients: the gradient of the round before, and the next plan
  std::shared_ptr<const Gradient> gradient;  // null where no round came before
  std::vector<bool> share;                   // per client: share the version of this step now
  std::shared_ptr<const Plan> plan;          // null while the server still collects (drop)
  std::shared_ptr<const Groups> groups;      // null during warm-up
  std::vector<bool> frozen;    // per client: in a group with a dead member: of any age
  std::vector<bool> released;  // per client: dead, and let go by the rest of its group
  double rate_factor = 1;      // learning rates are multiplied by it after the gradient
};
struct Upload {  // client -> server: psi(alpha_m) of the plan's rows, Eq. (5), masked
  int from;
  std::uint64_t revision;
  MatrixPtr values;  // rows x width; its driver has it filled before the server opens it
  Holdings holdings;
};
struct Report {  // client -> server
  int from;
  Holdings holdings;
};
struct ReportRequest {};  // server -> clients
struct Refusal {          // client -> server: why it will not act on a message
  int from;
  std::uint64_t revision;
  std::string reason;
};

using Message = std::variant<Hello, Welcome, DataShare, ModelShare, MaskShare, Step, Upload, Report,
                             ReportRequest, Refusal>;
using MessagePtr = std::shared_ptr<const Message>;

template <class M>
MessagePtr make_message(M message) {
  return std::make_shared<const Message>(std::move(message));
}

}  // namespace fedvs::protocol
