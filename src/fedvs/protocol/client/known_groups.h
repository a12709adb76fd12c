// The groups that a client knows of: those of the run, and those that an earlier run over the same
// rows binds it to.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "fedvs/protocol/client/share_shelf.h"
#include "fedvs/protocol/per_client.h"
#include "fedvs/protocol/plan.h"

namespace fedvs::protocol {

class KnownGroups {
 public:
  KnownGroups(int clients, Groups bound) : bound_(std::move(bound)), place_(clients) {}

  const Groups& bound() const { return bound_; }  // empty: none
  void bind(Groups groups) { bound_ = std::move(groups); }
  const std::shared_ptr<const Groups>& of_run() const { return of_run_; }  // null: none yet
  void note(std::shared_ptr<const Groups> groups);  // a partition of the clients
  void forget() { of_run_.reset(); }
  Groups to_tell() const { return bound_.empty() && of_run_ ? *of_run_ : bound_; }

  // Per client: dead, and its group goes on without it. As the last step has it; empty: nobody.
  void note_released(std::vector<bool> released) { released_ = std::move(released); }
  // Whether the step of the sender's newest model is that of all its group, those released aside.
  // Needs groups, and a model of the sender.
  bool is_complete(int sender, const ShareShelf& shelf) const;

 private:
  Groups bound_;
  std::shared_ptr<const Groups> of_run_;
  PerClient<std::size_t> place_;  // of its group in of_run_
  std::vector<bool> released_;
};

}  // namespace fedvs::protocol
