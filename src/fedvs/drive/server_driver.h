// Runs a server: decide, save, send. The server decides (it judges a message, plans a round, opens
// a sum), the journal saves where the run stands, and only then does anybody hear of it: a server
// that is started again never contradicts what it had said.
//   each task     the server decides, at the time of now
//                 a save is due     -> the journal saves -> the outbox is given what the task sends
//   at the end    a save that is due though nothing was to be said
//   journal fails, or the server could not write down a plan or a gradient: nothing is sent of what
//                 followed, nor anything after it; the error stays, and whoever owns the driver
//                 ends the run. In the second case the server is never saved again: its notes would
//                 speak of what is not written down.
// Who runs it: see client_driver.h.
#pragma once
#include <functional>

#include "fedvs/base/result.h"
#include "fedvs/drive/outbox.h"
#include "fedvs/drive/task_queue.h"
#include "fedvs/protocol/server/server.h"

namespace fedvs::drive {

// Where a server writes down where the run stands. Saved means: still there when the machine stops
// the moment after. An error ends the run.
class ServerJournal {
 public:
  enum class Moment {
    kBeforeSending,  // many times a minute
    kLast,           // the run ends here or is interrupted: with all that is otherwise saved rarely
  };
  virtual ~ServerJournal() = default;
  virtual Status save(Moment moment) = 0;
};

class ServerDriver {
 public:
  using Clock = std::function<double()>;  // seconds, as protocol::Server has them
  // All outlive the driver.
  ServerDriver(protocol::Server& server, ServerJournal& journal, Outbox& outbox, Clock now)
      : server_(server), journal_(journal), outbox_(outbox), now_(std::move(now)) {}

  // Each runs all tasks that follow. They return what went wrong with saving, from when something
  // did; the server is not called any more then.
  Status receive(const protocol::MessagePtr& message);
  Status tick();  // if the server's deadline has passed
  // When the run is over, for now or for good. Nothing is saved before training or of a server that
  // must not be.
  Status save_last();

 private:
  Status run(protocol::Tasks tasks);
  void run_one(const protocol::Task& task);
  void save_if_due();

  protocol::Server& server_;
  ServerJournal& journal_;
  Outbox& outbox_;
  const Clock now_;
  TaskQueue queue_;
  Status status_;
};

}  // namespace fedvs::drive
