// Keeps what `fedvs status` shows: passes the server's records on and remembers the newest. Filled
// by the thread that drives the server, read by any.
#pragma once
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "fedvs/party/run_status.h"
#include "fedvs/protocol/server/records.h"

namespace fedvs::party {

class ServerWatch final : public protocol::Observer {
 public:
  ServerWatch(std::vector<std::string> names, protocol::Observer& to);

  void on_round(const protocol::RoundRecord& record) override;
  void on_evaluation(const protocol::EvaluationRecord& record) override;
  void on_groups(const protocol::Groups& groups) override { to_.on_groups(groups); }
  void on_note(const std::string& note) override;  // also written to the log
  void on_warning(const std::string& note) override;
  void uploaded(int client, std::uint64_t revision, double now);

  // Changes what is shown, under the lock.
  template <class Change>
  void update(const Change& change) {
    const std::lock_guard lock(mutex_);
    change(status_);
  }
  RunStatus snapshot() const;

 private:
  void pass_on(const std::string& note);
  protocol::Observer& to_;
  mutable std::mutex mutex_;
  RunStatus status_;
  std::map<std::uint64_t, double> first_upload_;  // by revision, a few
  std::vector<std::deque<bool>> answered_;        // by client, of the last hundred rounds
};

}  // namespace fedvs::party
