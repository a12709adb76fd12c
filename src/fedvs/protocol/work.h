// How a party's state machine talks to whatever drives it: no sockets, clocks or threads in here.
// receive() and tick() return tasks; a driver runs them one at a time in order (background ones
// last) and passes on what they send. A simulator charges `macs` to a virtual clock.
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
  std::uint64_t round = 0;  // keys the delay
  bool free = false;        // evaluation: costs no simulated time

  MessagePtr make() const { return draft->make(to); }
  bool wanted() const { return draft->wanted(); }
};

struct Effects;
struct Task {
  double macs = 0;          // multiply-adds
  bool background = false;  // rows that others ask for: after everything else
  int rows_for = kServer;   // of these, rows: the client that asks for them
  // What clients left to be computed (Client::compute_models, compute_uploads) must be done first.
  bool reads_uploads = false;
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

// kSkipped: the control flow without the numbers. Nothing in the control flow depends on values, so
// a run can be brought back to any point in seconds and its numbers restored from a checkpoint.
enum class Arithmetic { kReal, kSkipped };

}  // namespace fedvs::protocol
