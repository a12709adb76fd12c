// The server's end: clients attend over gRPC with mutual TLS, and the hub takes what is for the
// server, and passes on what is for other clients. It reads no parcel.
//
// What the hub's owner learns of relayed parcels: sender, recipient, lane, size and time.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/net/transport/limits.h"
#include "fedvs/net/transport/parcel.h"
#include "fedvs/net/transport/tls.h"

namespace fedvs::transport {

// Called by the hub's threads, for one session in this order and never two at a time; for different
// sessions at the same time. A call that does not return holds up that client and shutdown(), and
// no other client: queue what takes long. `session` counts connections from 1, so that a late event
// of a connection that was replaced can be told. All of the hub but shutdown() may be called from
// here.
struct HubEvents {
  std::function<void(int client, std::uint64_t session)> on_connected;
  std::function<void(int client, std::uint64_t session, Bytes bytes)> on_parcel;
  std::function<void(int client, std::uint64_t session, const std::string& reason)> on_disconnected;
};

struct HubOptions {
  std::string address;  // "host:port"; port 0 lets the system choose
  Tls tls;
  // Which client shows this certificate (PEM; signed by the CA, valid today), from 0, or why it is
  // refused: logged, and told to the client. Called by the hub's threads.
  std::function<Result<int>(const std::string& certificate_pem)> identify;
  HubEvents events;
  Limits limits;
};

// Of one client since the hub was made. Bytes are parcels' contents, without frames and TLS.
struct ClientStats {
  bool connected = false;
  std::uint64_t session = 0;  // the last one
  std::uint64_t connects = 0;
  std::uint64_t bytes_in = 0, bytes_out = 0;
  std::uint64_t parcels_in = 0, parcels_out = 0;
  std::uint64_t relayed_parcels = 0, relayed_bytes = 0;  // to it, from other clients
  std::uint64_t dropped_parcels = 0, dropped_bytes = 0;  // from it, to clients that were away
  std::uint64_t bulk_bytes = 0;  // from it and to it, of large parcels on the bulk lane
  std::size_t queued_bytes = 0;
  std::chrono::duration<double> since_heard{0};
};

class Hub {
 public:
  // kBadJob: the address cannot be listened at; kBadFile: the certificates cannot be used.
  static Result<std::unique_ptr<Hub>> listen(HubOptions options);
  ~Hub();  // shutdown()

  int port() const;

  // From now on parcels between this client and others are passed on; before, one from it closes
  // its connection and those to it are dropped. Nothing happens if `session` is not the client's
  // present one.
  void admit(int client, std::uint64_t session);

  // Both do nothing where `session` is named and is not the client's present one.
  // Never blocks. False: not connected, or so much waits already that the connection is closed now.
  bool send(int client, Lane lane, Bytes bytes, std::uint64_t session = 0);
  // The client is told the reason, and told not to try again if `refused`.
  void close(int client, const std::string& reason, bool refused = false,
             std::uint64_t session = 0);
  void set_largest_parcel(std::size_t bytes);  // of parcels that begin from now on

  std::map<int, ClientStats> stats() const;

  // Sends what is queued, says goodbye, and ends all connections; what takes longer than `within`
  // plus limits.goodbye_within is cut off. No event comes after it. Not from an event.
  void shutdown(Duration within = Duration(2'000));

 private:
  struct Impl;
  explicit Hub(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedvs::transport
