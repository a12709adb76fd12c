#include "fedvs/cli/stop_signals.h"

#include <atomic>
#include <csignal>

namespace fedvs::cli {
namespace {

std::atomic<bool> requested = false;

void request_stop(int) {
  requested = true;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

void catch_stop_signals() {
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
}

bool stop_requested() { return requested; }

}  // namespace fedvs::cli
