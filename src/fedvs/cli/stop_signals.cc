#include "fedvs/cli/stop_signals.h"

#include <atomic>
#include <csignal>

namespace fedvs::cli {
namespace {

std::atomic<bool> requested = false;
std::atomic<int> counted = 0;

void request_stop(int) {
  requested = true;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void count(int) { ++counted; }

}  // namespace

void catch_stop_signals() {
  std::signal(SIGINT, request_stop);
  std::signal(SIGTERM, request_stop);
}

bool stop_requested() { return requested; }

void count_stop_signals() {
  std::signal(SIGINT, count);
  std::signal(SIGTERM, count);
}

int stop_signals_counted() { return counted; }

}  // namespace fedvs::cli
