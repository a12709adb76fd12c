#include "fedvs/transport/grpc_log.h"

#include <grpc/support/log.h>

#include <mutex>
#include <string_view>

#include "fedvs/base/log.h"
#include "fedvs/transport/frame.h"

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
  });
}

}  // namespace fedvs::transport
