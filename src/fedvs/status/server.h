// A small HTTP endpoint that says how the run is doing:
//   GET /         plain text, as `fedvs status` shows it     GET /status   JSON
//   GET /metrics  for Prometheus
// No TLS and no password: whoever can connect can read names, lateness, loss and events, but no
// secret. So it listens on loopback unless an operator names another address. Nobody can write: a
// request is read up to a few kilobytes, within seconds, on two threads; while both are busy,
// others wait in the system's queue.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "fedvs/base/result.h"
#include "fedvs/party/run_status.h"

namespace fedvs::status {

inline constexpr std::string_view kDefaultStatusAddress = "127.0.0.1:0";
// Where a server leaves its address() in a line, and `fedvs status --dir` finds it.
std::filesystem::path status_address_file(const std::filesystem::path& server_folder);

class StatusServer {
 public:
  // Called on the server's threads, also at the same time; the endpoint shows what it returns.
  using Snapshot = std::function<party::RunStatus()>;

  // Port 0 takes whichever is free. kBadJob for an address that is none, kBadFile for one that
  // cannot be had. Ignores SIGPIPE in the whole process, as any server must.
  static Result<std::unique_ptr<StatusServer>> listen(std::string_view address, Snapshot snapshot);
  StatusServer(const StatusServer&) = delete;
  StatusServer& operator=(const StatusServer&) = delete;
  ~StatusServer();  // stops; an answer under way is cut off. Afterwards `snapshot` is not called

  int port() const;
  std::string address() const;  // "127.0.0.1:34567"

 private:
  class Endpoint;
  explicit StatusServer(std::unique_ptr<Endpoint> endpoint);
  std::unique_ptr<Endpoint> endpoint_;
};

}  // namespace fedvs::status
