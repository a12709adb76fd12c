// gRPC's own log, in ours. It alone says why a TLS handshake failed.
#pragma once

namespace fedvs::transport {

// From now on, for the process: handshakes that fail and errors are warnings, the rest is left out.
void take_over_grpc_log();

}  // namespace fedvs::transport
