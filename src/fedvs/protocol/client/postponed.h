// Messages of other clients that came too soon, kept until this client can judge them.
//   before its welcome   it does not know whose lives they are of; handed on when it comes
//   models of steps that this client has not reached: the gradient is still on its way
// A client that lives apart from the others keeps a bounded number of each sender.
#pragma once
#include <utility>
#include <vector>

#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

class Postponed {
 public:
  explicit Postponed(bool apart) : apart_(apart) {}

  // Of a client apart: the first 64 of a sender, which has little to say before it is welcome.
  void keep_for_welcome(const MessagePtr& message);
  std::vector<MessagePtr> take_for_welcome() { return std::exchange(for_welcome_, {}); }
  void forget_for_welcome() { for_welcome_.clear(); }

  // A ModelShare. Of a client apart, which may be far behind: the newest four of a sender.
  void keep_early(const MessagePtr& model);
  std::vector<MessagePtr> take_early() { return std::exchange(early_, {}); }

 private:
  const bool apart_;
  std::vector<MessagePtr> for_welcome_, early_;
};

}  // namespace fedvs::protocol
