// Runs a client: decide, save, send. The client decides (it judges a message, or computes an
// answer), the journal saves what was decided, and only then does anything leave.
//   each message  the client judges it             -> the journal notes what was accepted of it
//   each task     the client computes its answer,
//                 the new version of its model too -> the outbox is given the answer
//   the client has broken off, with a message or a task: the journal notes that first.
//   a new version of its model does not fit the ring: the client withdraws it. What the task made
//                 is dropped, and the client says instead that it breaks off.
//   the journal fails: the message is not answered, nothing is sent any more and the client is not
//                 called any more; the error stays, and whoever owns the driver ends the run.
// Clients on the network and on the tests' stage are run with it. The simulator takes tasks in the
// same order (task_queue.h) but runs them itself: a task ends when the virtual clock says so, all
// clients compute at the same time, nobody restarts, and a model that does not fit ends the run.
#pragma once
#include "fedvs/base/result.h"
#include "fedvs/drive/outbox.h"
#include "fedvs/drive/task_queue.h"
#include "fedvs/protocol/client/client.h"

namespace fedvs::drive {

// Where a client writes down what it must not forget.
class ClientJournal {
 public:
  virtual ~ClientJournal() = default;
  // The client has judged this message and will answer it next. Noted means: still there when the
  // machine stops the moment after. An error ends the run.
  virtual Status note(const protocol::MessagePtr& message) = 0;
  // The client has broken off and will tell the others next, whether or not this can be written
  // down. Called once: a client that has refused must not come back as if it had not.
  virtual void note_broken_off() = 0;
};

class ClientDriver {
 public:
  // All outlive the driver.
  ClientDriver(protocol::Client& client, ClientJournal& journal, Outbox& outbox)
      : client_(client), journal_(journal), outbox_(outbox) {}

  // Each runs all tasks that follow, but those in the background. They return the journal's error,
  // from when there was one; the client is not called any more then.
  Status start();      // says hello
  Status come_back();  // says hello again, over a new connection
  Status receive(const protocol::MessagePtr& message);
  // One task in the background, if there is one, and what follows from it.
  Status run_background();

  bool has_background() const { return queue_.has_background(); }
  void forget_background() { queue_.forget_background(); }  // whoever asked is gone

 private:
  Status run_urgent();
  void take(const protocol::MessagePtr& message);
  void run(const protocol::Task& task);
  protocol::Effects decide(const protocol::Task& task);
  void note_broken_off();
  void send(const protocol::Outgoing& outgoing);

  protocol::Client& client_;
  ClientJournal& journal_;
  Outbox& outbox_;
  TaskQueue queue_;
  bool broken_off_noted_ = false;
  Status status_;
};

}  // namespace fedvs::drive
