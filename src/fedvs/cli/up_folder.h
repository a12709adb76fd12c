// The folder of `fedvs up`: a server and N clients on one machine, each with what it would have on
// its own.
//   parties/  labels.csv, client-1.csv, ...
//   deploy/   server/, client-1/, ...         as of fedvs init --trial: keys, certificates, roster
//   logs/     server.log, client-1.log, ...
//   run/      the server's run folder
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/job/job.h"

namespace fedvs::cli {

class UpFolder {
 public:
  // Cuts the job's data set into files and deploys a trial on a free port of loopback: all at once
  // or not at all. kRefused for a folder that exists; the errors of jobs and data sets.
  static Result<UpFolder> make(const Job& job, const std::filesystem::path& path);
  // One that make() made. kBadFile otherwise.
  static Result<UpFolder> open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const std::vector<std::string>& clients() const { return clients_; }  // client-1, ...
  std::filesystem::path server_folder() const { return path_ / "deploy" / "server"; }
  std::filesystem::path run_folder() const { return path_ / "run"; }
  std::filesystem::path log_file(const std::string& party) const;
  std::filesystem::path lock_file() const { return path_ / "lock"; }
  Result<bool> finished() const;  // trained to the end, so that there is nothing to go on with

  // What comes after "fedvs" to start a party. A machine's cores are shared by all of them.
  std::vector<std::string> server_arguments() const;
  std::vector<std::string> client_arguments(std::size_t client) const;

 private:
  UpFolder(std::filesystem::path path, std::vector<std::string> clients)
      : path_(std::move(path)), clients_(std::move(clients)) {}
  std::string threads_each() const;
  std::filesystem::path path_;
  std::vector<std::string> clients_;
};

// A command as one would type it, quoted for a shell where needed.
std::string shell_command(const std::vector<std::string>& arguments);

}  // namespace fedvs::cli
