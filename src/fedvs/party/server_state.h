// What a server leaves in its folder, so that it can go on after a restart:
//   state/run.ckpt          the run's id and seed, and what every client said of itself; final once
//                           rows are being shared
//   state/server.ckpt       before every step is sent: where the run stands, in a few kilobytes
//   state/central.ckpt      the central model, every few seconds
//   state/learned.log       what it has learned since, and the predictions of an evaluation half
//                           done: learned again after a restart, it is the same model to the bit
//   state/gradients-S.log   for clients that come back
//   state/heads.log         the chain of signed plans, each before it is sent; never cut
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
    bool settled = false;  // rows are being shared: until then only id and seed stay as they are
  };
  const std::optional<Run>& run() const { return run_; }
  Status begin(const Run& run);  // on the disk when it returns, as what is saved below

  struct Standing {
    std::string server, totals;  // protocol::Server::save, and the recorder's
    double seconds = 0;          // that the run has taken so far
    std::uint64_t restarts = 0;
    bool done = false;
    Versions versions = {};  // of the last plan
  };
  const std::optional<Standing>& standing() const { return standing_; }
  Status save(const Standing& standing);

  struct Central {
    std::string model;  // empty: none was saved
    std::uint64_t rounds = 0;
    int rate_changes = 0;
  };
  const Central& central() const { return central_; }
  // What was noted since, in order, until `recall` says that a note is of a round that was never
  // sent: it and those after it are dropped.
  using Recall = std::function<Result<bool>(std::string_view news)>;
  Status recall_learned(const Recall& recall);
  Status note_learned(const std::vector<std::string>& news);  // on the disk when it returns
  // Call after save(), so that the central model is never ahead of it. What was noted goes with it
  // where `notes_done`: unless an evaluation still needs them.
  bool central_due() const;
  Status save_central(const Central& central, bool notes_done);

 private:
  explicit ServerState(std::filesystem::path state) : folder_(std::move(state)) {}
  Status read();  // the files that are written whole: saved_server.cc
  Result<std::optional<Run>> read_run() const;
  Result<std::optional<Standing>> read_standing() const;
  Result<Central> read_central() const;
  Status write(const Central& central) const;
  std::filesystem::path folder_;
  std::optional<Run> run_;
  std::optional<Standing> standing_;
  Central central_;
  std::optional<store::RecordLog> learned_;
  std::chrono::steady_clock::time_point central_saved_{};
  std::chrono::steady_clock::duration central_took_{};
};

}  // namespace fedvs::party
