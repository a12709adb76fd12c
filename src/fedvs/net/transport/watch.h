// The thread that looks at sessions a few times per shortest time-out, so that none waits for ever.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "fedvs/net/transport/limits.h"
#include "fedvs/net/transport/session.h"

namespace fedvs::transport {

class Watch {
 public:
  explicit Watch(const Limits& limits);
  ~Watch();
  void add(std::weak_ptr<Session> session);  // until the session goes

 private:
  void look();
  const Duration period_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::vector<std::weak_ptr<Session>> sessions_;
  std::thread thread_;
};

}  // namespace fedvs::transport
