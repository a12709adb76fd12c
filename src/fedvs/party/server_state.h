// What a server leaves in its folder, so that it can go on after a restart:
//   state/run.ckpt       once: the run's id and seed, and what every client said of itself
//   state/server.ckpt    before every step is sent: where the run stands
//   state/central.ckpt   the central model, as often as it costs little; may be some rounds older
//   state/gradients.log  for clients that come back
#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/party/gradient_log.h"
#include "fedvs/party/trained.h"

namespace fedvs::party {

class ServerState {
 public:
  static Result<ServerState> open(std::filesystem::path state);  // made if it is not there
  const std::filesystem::path& folder() const { return folder_; }

  struct Run {
    RunId id{};
    std::uint64_t seed = 0;
    std::string door;  // Door::save
    ClassNames classes;
  };
  const std::optional<Run>& run() const { return run_; }
  Status begin(const Run& run);

  struct Standing {
    std::string server, totals;  // protocol::Server::save, and the recorder's
    double seconds = 0;          // that the run has taken so far
    std::uint64_t restarts = 0;
    bool done = false;
    Versions versions = {};  // of the last plan
  };
  const std::optional<Standing>& standing() const { return standing_; }
  Status save(const Standing& standing);  // on the disk when it returns

  const std::string& central() const { return central_; }  // empty: none was saved
  int central_epochs() const { return central_epochs_; }   // finished when it was
  // Unless it was lately; `force`: in any case.
  Status save_central(const std::function<std::string()>& bytes, int epochs, bool force);

 private:
  explicit ServerState(std::filesystem::path state) : folder_(std::move(state)) {}
  Status read();
  std::filesystem::path folder_;
  std::optional<Run> run_;
  std::optional<Standing> standing_;
  std::string central_;
  int central_epochs_ = 0;
  std::chrono::steady_clock::time_point central_saved_{};
  std::chrono::steady_clock::duration central_took_{};
};

}  // namespace fedvs::party
