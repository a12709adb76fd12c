// The processes of `fedvs up`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/cli/up_folder.h"
#include "fedvs/experiments/child.h"

namespace fedvs::cli {

struct Party {
  std::string name;
  std::vector<std::string> arguments;
  std::filesystem::path log;
  experiments::Child process;
  std::optional<int> status() {  // of exit, or 128 + the signal's number; nothing while it runs
    return process.ended() ? std::optional(process.exit_status()) : std::nullopt;
  }
};

class Parties {
 public:
  // The server first. If one cannot be started, those before it are killed: none has done anything.
  static Result<Parties> start(const UpFolder& folder);

  Party& server() { return all_.front(); }
  std::vector<Party>& all() { return all_; }
  bool all_ended();
  void send_all(int signal);  // to those that run

 private:
  std::vector<Party> all_;
};

// "done", "stopped and saved", "killed by signal 9 (Killed)", ...
std::string how_it_ended(int status);
// Neither done nor stopped on request.
bool failed(int status);

}  // namespace fedvs::cli
