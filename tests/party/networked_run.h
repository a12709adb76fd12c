// A whole run over loopback: the real program as a server and N clients, each a process in a folder
// of its own that can be stopped, killed and started again.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace fedvs::testing {

using Sets = std::vector<std::string>;

// The arguments, and "--set a=b" for each.
cli::Arguments with_sets(cli::Arguments arguments, const Sets& sets);
// Ends with 0, or the test fails; what it said on stdout.
std::string run_program(const std::filesystem::path& folder, const cli::Arguments& arguments,
                        const std::string& program = FEDVS_PROGRAM);
// Lines of an events.jsonl that may still be written to.
std::vector<nlohmann::json> events_of(const std::filesystem::path& run);
std::vector<nlohmann::json> rounds_of(const std::vector<nlohmann::json>& events);

class NetworkedRun {
 public:
  // Exports the job's data and makes the folders of all parties, in `folder`. `sets` is the whole
  // job, data.name and data.clients among them; `program` is what every party runs.
  NetworkedRun(std::filesystem::path folder, const Sets& sets, std::string program);

  int clients() const { return static_cast<int>(clients_.size()); }
  void start();              // everybody
  void start_server();       // anew, from its folder
  void start_client(int n);  // from 0
  void kill_server();        // SIGKILL, and waits until it is gone
  void kill_client(int n);
  cli::Program& server() { return *server_; }
  cli::Program& client(int n) { return *clients_[static_cast<std::size_t>(n)]; }

  std::vector<nlohmann::json> events() const { return events_of(server_folder() / "run"); }
  std::vector<nlohmann::json> rounds() const { return rounds_of(events()); }
  // False if the server ends or kPatience passes before.
  bool wait_for_rounds(std::size_t count);
  bool wait_until(const std::function<bool()>& holds);
  // Waits until all have ended, each with 0.
  void expect_complete();
  std::filesystem::path server_folder() const { return folder_ / "deploy" / "server"; }

 private:
  std::filesystem::path client_folder(int n) const;
  std::filesystem::path folder_;
  std::string program_;
  std::unique_ptr<cli::Program> server_;
  std::vector<std::unique_ptr<cli::Program>> clients_;
};

}  // namespace fedvs::testing
