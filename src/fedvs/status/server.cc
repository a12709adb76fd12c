#include "fedvs/status/server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <csignal>
#include <cstring>
#include <latch>
#include <semaphore>
#include <thread>

#include "fedvs/base/log.h"
#include "fedvs/deploy/address.h"
#include "fedvs/status/http_connection.h"
#include "fedvs/status/text.h"

namespace fedvs::status {
namespace {

constexpr int kThreads = 2;
constexpr std::chrono::seconds kPatience{2};  // for a whole connection
constexpr std::size_t kLongestRequest = 16 * 1024;
constexpr const char* kPlainText = "text/plain; charset=utf-8";

// Takes a connection only when a thread is free for it: the rest wait in the system's short queue
// and not, as open files, in ours.
class FewAtATime : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> task) override {
    free_.acquire();
    threads_.enqueue([this, task = std::move(task)] {
      task();
      free_.release();
    });
  }
  void shutdown() override { threads_.shutdown(); }

 private:
  std::counting_semaphore<kThreads> free_{kThreads};
  httplib::ThreadPool threads_{kThreads};
};

// Unlike httplib's own choice, SO_REUSEPORT, this does not let a second server share the port.
void share_only_with_the_past(int socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

// Signals are for the program's main thread; one that came here would end httplib's loop.
std::thread without_signals(std::function<void()> work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

class StatusServer::Endpoint : public httplib::Server {
 public:
  explicit Endpoint(Snapshot snapshot) : snapshot_(std::move(snapshot)) {
    set_socket_options(share_only_with_the_past);
    set_default_headers({{"Cache-Control", "no-store"}});
    set_payload_max_length(kLongestRequest);
    new_task_queue = [this] {
      started_.count_down();
      return new FewAtATime;  // httplib deletes it
    };
    answer("/", kPlainText, status_table);
    answer("/status", "application/json", status_json);
    answer("/metrics", "text/plain; version=0.0.4; charset=utf-8", status_metrics);
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      response.set_content("This is a FedVS server's status: GET /, /status or /metrics.\n",
                           kPlainText);
    });
  }

  ~Endpoint() override {
    stopping_ = true;
    if (!listener_.joinable()) return;
    started_.wait();  // before that, stop() would do nothing
    stop();
    listener_.join();
  }

  Status start(const deploy::Address& wanted) {
    address_ = wanted;
    errno = 0;
    if (wanted.port == 0) {
      address_.port = bind_to_any_port(wanted.host);
    } else if (!bind_to_port(wanted.host, wanted.port)) {
      address_.port = -1;
    }
    if (address_.port < 0) return cannot_listen(wanted, errno);
    listener_ = without_signals([this] {
      if (!listen_after_bind()) log::warning("the status endpoint {} has failed", address_.text());
    });
    return {};
  }

  const deploy::Address& address() const { return address_; }

 private:
  void answer(const char* path, const char* type, std::string (*text)(const party::RunStatus&)) {
    Get(path, [this, type, text](const httplib::Request&, httplib::Response& response) {
      response.set_content(text(snapshot_()), type);
    });
  }

  bool process_and_close_socket(int socket) override {
    HttpConnection connection(socket, std::chrono::steady_clock::now() + kPatience, kLongestRequest,
                              stopping_);
    bool closed = false;
    return process_request(connection, /*close_connection=*/true, closed, nullptr);
  }

  static Error cannot_listen(const deploy::Address& wanted, int reason) {
    return {ErrorCode::kBadFile,
            fmt::format("cannot show the status at {}: {}; name another address, or 127.0.0.1:0 "
                        "for any free port",
                        wanted.text(), reason == 0 ? "no such host here" : std::strerror(reason))};
  }

  Snapshot snapshot_;
  std::atomic<bool> stopping_ = false;
  std::latch started_{1};
  deploy::Address address_;
  std::thread listener_;
};

std::filesystem::path status_address_file(const std::filesystem::path& server_folder) {
  return server_folder / "state" / "status.address";
}

Result<std::unique_ptr<StatusServer>> StatusServer::listen(std::string_view address,
                                                           Snapshot snapshot) {
  FEDVS_TRY(const auto wanted, deploy::parse_address(address));
  auto endpoint = std::make_unique<Endpoint>(std::move(snapshot));
  FEDVS_TRY_STATUS(endpoint->start(wanted));
  if (!wanted.is_loopback()) {
    log::warning("the status at {} can be read by whoever can connect, without a password",
                 endpoint->address().text());
  }
  return std::unique_ptr<StatusServer>(new StatusServer(std::move(endpoint)));
}

StatusServer::StatusServer(std::unique_ptr<Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}
StatusServer::~StatusServer() = default;

int StatusServer::port() const { return endpoint_->address().port; }
std::string StatusServer::address() const { return endpoint_->address().text(); }

}  // namespace fedvs::status
