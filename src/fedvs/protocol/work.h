// How a party's state machine talks to whatever drives it: no sockets, clocks or threads in here.
// receive() and tick() return tasks; a driver runs them one at a time in order (background ones
// last) and passes on what they send. What a task or a message stands for is said in the words of
// the protocol; what that takes on which machine, or on a virtual clock, is its driver's affair.
#pragma once
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

enum class Lane : std::uint8_t {
  kControl,  // small, at once
  kUpload,   // a straggler's upload is late
  kShare,    // and so is its model share
  kBulk,     // data shares
};

// Makes a message when it arrives: an upload that is cancelled before is never computed, and
// nothing large waits on a link. One draft serves all recipients.
class Draft {
 public:
  virtual ~Draft() = default;
  virtual MessagePtr make(
      int to) const = 0;  // null: a newer plan overtook it; nobody would read it
  virtual bool wanted() const { return true; }  // asked once more before sending
};
using DraftPtr = std::shared_ptr<const Draft>;

struct Outgoing {
  int to;
  Lane lane;
  std::size_t bytes;
  DraftPtr draft;
  std::uint64_t round = 0;  // of an upload: its plan's; of a model share: the step of the model
  bool evaluation = false;  // of an evaluation alone: nothing is learned from it

  MessagePtr make() const { return draft->make(to); }
  bool wanted() const { return draft->wanted(); }
};

// The arithmetic that a task stands for, though a client may leave it for later (DeferredWork). How
// much it is: costs.h.
struct Work {
  enum class Kind : std::uint8_t {
    kNone,        // it decides, or passes messages on
    kShareRows,   // a client encodes its rows for everybody
    kShareModel,  // step 1: a client encodes its model for everybody
    kUpload,      // steps 2 and 3: a client evaluates a plan and masks the result
    kOpen,        // steps 4 and 5: the server opens a sum and learns from it. It reads what all
                  // clients left for later, which has to be computed first
    kLearn,       // step 5: a client learns from a gradient
  };
  Kind kind = Kind::kNone;
  bool evaluation = false;  // of a plan from which nothing is learned
  std::size_t rows = 0;     // coded rows of the plan
};

struct Effects;
struct Task {
  Work work = {};
  bool background = false;  // rows that others ask for: after everything else
  int rows_for = kServer;   // of these, rows: the client that asks for them
  std::function<Effects()> run;
};
using Tasks = std::vector<Task>;

struct Effects {
  std::vector<Outgoing> sends;
  Tasks tasks;  // that follow from it
};

// make(to) -> MessagePtr.
template <class Make>
DraftPtr draft(Make make) {
  struct Made final : Draft {
    explicit Made(Make m) : make_(std::move(m)) {}
    MessagePtr make(int to) const override { return make_(to); }
    Make make_;
  };
  return std::make_shared<const Made>(std::move(make));
}
DraftPtr draft_of(MessagePtr message);  // one that exists already

// A message that exists already; and a task that only sends it.
Outgoing outgoing(int to, Lane lane, std::size_t bytes, MessagePtr message);
Task send_now(Outgoing message);
void append(Tasks& tasks, Tasks more);

}  // namespace fedvs::protocol
