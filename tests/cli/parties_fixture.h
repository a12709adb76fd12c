// A job of some parties on this machine: their files and folders, and every party as a process of
// its own, the real program over mutual TLS.
#pragma once
#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {

inline int free_port() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(listener);
  return ntohs(address.sin_port);
}

class Parties : public Cli {
 protected:
  static constexpr std::size_t kClients = 6;
  using Programs = std::vector<std::unique_ptr<Program>>;

  // `job`: what it says besides its data and its small model.
  void make_parties(const std::string& job) {
    write("job.toml", fmt::format("[data]\nname = \"parties\"\nclients = {}\n[model]\nwidth = 4\n"
                                  "hidden = [6, 5]\n{}",
                                  kClients, job));
    expect_done(words(fmt::format(
        "data export synthetic --clients {} --set data.rows=1200 --out parties", kClients)));
    expect_done({"init", "job.toml", "--trial", "--dir", "deploy", "--server-address",
                 fmt::format("127.0.0.1:{}", free_port())});
  }
  void expect_done(const Arguments& arguments) {
    const Outcome outcome = fedvs(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string client_name(std::size_t n) { return fmt::format("client-{}", n + 1); }
  std::string client_folder(std::size_t n) const { return path("deploy/" + client_name(n)); }

  // Each in a folder of its own, beside which its output is kept.
  std::unique_ptr<Program> start(const std::string& who, const Arguments& arguments) {
    std::filesystem::create_directories(folder_ / "at" / who);
    return std::make_unique<Program>(folder_ / "at" / who, arguments);
  }
  std::string said_by(const std::string& who) const { return text("at/" + who + ".stderr"); }
  std::unique_ptr<Program> start_client(std::size_t n, const std::string& files = "parties",
                                        const Arguments& more = {}) {
    const std::string data = path(fmt::format("{}/{}.csv", files, client_name(n)));
    return start(client_name(n),
                 Arguments{"client", "--dir", client_folder(n), "--data", data} + more);
  }
  Programs start_clients(const std::string& files = "parties", const Arguments& more = {}) {
    Programs clients;
    for (std::size_t n = 0; n < kClients; ++n) clients.push_back(start_client(n, files, more));
    return clients;
  }
};

}  // namespace fedvs::cli
