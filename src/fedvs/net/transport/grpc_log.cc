#include "fedvs/net/transport/grpc_log.h"

#include <absl/synchronization/mutex.h>
#include <grpc/support/log.h>

#include <mutex>
#include <string_view>

#include "fedvs/base/log.h"
#include "fedvs/net/transport/frame.h"

namespace fedvs::transport {
namespace {

bool is_about_tls(std::string_view file) {
  return file.find("ssl_transport_security") != file.npos ||
         file.find("security_handshaker") != file.npos || file.find("chttp2_server") != file.npos;
}

void write(gpr_log_func_args* entry) {
  if (entry->severity < GPR_LOG_SEVERITY_ERROR && !is_about_tls(entry->file)) return;
  log::warning("connection: {}", printable(entry->message));
}

}  // namespace

void take_over_grpc_log() {
  static std::once_flag once;
  std::call_once(once, [] {
    gpr_set_log_function(write);
    gpr_set_log_verbosity(GPR_LOG_SEVERITY_INFO);
    // Debian's Abseil is built with its checks on: it would enter every lock of gRPC into a graph
    // of all locks, to find deadlocks, under a lock that all threads share.
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  });
}

}  // namespace fedvs::transport
