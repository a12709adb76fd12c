#include "tests/party/networked_run.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <thread>

#include "fedvs/base/check.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::testing {
namespace {

using cli::Arguments;
using cli::Program;
using nlohmann::json;

bool is_free(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound = bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
  close(socket);
  return bound;
}

// Below the ports that outgoing connections take: it must still be free when a server restarts.
int free_port() {
  constexpr int kFirst = 20'000, kPorts = 12'000;
  static int tried = 0;
  for (;; ++tried) {
    FEDVS_CHECK(tried < kPorts, "some port is free");
    const int port = kFirst + (static_cast<int>(getpid()) * 37 + tried) % kPorts;
    if (is_free(port)) return ++tried, port;
  }
}

std::string value_of(const Sets& sets, const std::string& key) {
  for (const auto& set : sets) {
    if (set.starts_with(key + "=")) return set.substr(key.size() + 1);
  }
  FEDVS_CHECK(false, "the job says " + key);
  return {};
}

Sets only(const Sets& sets, const std::string& section) {
  Sets chosen;
  std::ranges::copy_if(sets, std::back_inserter(chosen),
                       [&](const auto& set) { return set.starts_with(section + "."); });
  return chosen;
}

}  // namespace

Arguments with_sets(Arguments arguments, const Sets& sets) {
  for (const auto& set : sets) arguments.insert(arguments.end(), {"--set", set});
  return arguments;
}

std::string run_program(const std::filesystem::path& folder, const Arguments& arguments,
                        const std::string& program) {
  const auto outcome = Program(folder, arguments, {}, program).wait();
  EXPECT_EQ(outcome.status, 0) << ::testing::PrintToString(arguments) << outcome.err;
  return outcome.out;
}

std::vector<json> events_of(const std::filesystem::path& run) {
  std::vector<json> events;
  std::istringstream lines(contents_of(run / "events.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    auto event = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (event.is_object()) events.push_back(std::move(event));
  }
  return events;
}

std::vector<json> rounds_of(const std::vector<json>& events) {
  std::vector<json> rounds;
  std::ranges::copy_if(events, std::back_inserter(rounds),
                       [](const json& event) { return event["event"] == "round"; });
  return rounds;
}

NetworkedRun::NetworkedRun(std::filesystem::path folder, const Sets& sets, std::string program)
    : folder_(std::move(folder)), program_(std::move(program)) {
  clients_.resize(static_cast<std::size_t>(std::stoi(value_of(sets, "data.clients"))));
  put(folder_ / "job.toml", run_program(folder_, with_sets({"train", "--print-job"}, sets)));
  run_program(folder_, with_sets({"data", "export", value_of(sets, "data.name"), "--out",
                                  (folder_ / "parties").string()},
                                 only(sets, "data")));
  run_program(folder_,
              {"init", (folder_ / "job.toml").string(), "--trial", "--server-address",
               fmt::format("127.0.0.1:{}", free_port()), "--dir", (folder_ / "deploy").string()});
}

std::filesystem::path NetworkedRun::client_folder(int n) const {
  return folder_ / "deploy" / fmt::format("client-{}", n + 1);
}

void NetworkedRun::start() {
  start_server();
  for (int n = 0; n < clients(); ++n) start_client(n);
}

void NetworkedRun::start_server() {
  const auto folder = server_folder();
  server_.reset();
  server_ = std::make_unique<Program>(
      folder,
      Arguments{"server", "--dir", folder.string(), "--labels",
                (folder_ / "parties" / "labels.csv").string(), "--wait", "120"},
      cli::Environment{}, program_);
}

void NetworkedRun::start_client(int n) {
  const auto folder = client_folder(n);
  const auto data = folder_ / "parties" / fmt::format("client-{}.csv", n + 1);
  auto& client = clients_[static_cast<std::size_t>(n)];
  client.reset();
  client = std::make_unique<Program>(
      folder,
      Arguments{"client", "--dir", folder.string(), "--data", data.string(), "--give-up", "120"},
      cli::Environment{}, program_);
}

void NetworkedRun::kill_server() {
  server_->send(SIGKILL);
  EXPECT_EQ(server_->wait().status, 128 + SIGKILL);
}

void NetworkedRun::kill_client(int n) {
  client(n).send(SIGKILL);
  EXPECT_EQ(client(n).wait().status, 128 + SIGKILL);
}

bool NetworkedRun::wait_until(const std::function<bool()>& holds) {
  return server_->wait_until([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // reading the log takes time too
    return holds();
  });
}

bool NetworkedRun::wait_for_rounds(std::size_t count) {
  return wait_until([&] { return rounds().size() >= count; });
}

void NetworkedRun::expect_complete() {
  const auto outcome = server_->wait();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (int n = 0; n < clients(); ++n) {
    const auto end = client(n).wait();
    EXPECT_EQ(end.status, 0) << "client " << n + 1 << ": " << end.err;
  }
}

}  // namespace fedvs::testing
