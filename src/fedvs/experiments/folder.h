// The folder of a study:
//   study.json            what it consists of, and which program wrote it
//   runs/<trial>.toml     a trial's job
//   runs/<trial>/         its run folder (run/run_folder.h), and result.json once it has ended
//   report.html           made from these; of a reproduction also <figure>/report.html
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/experiments/study.h"

namespace fedvs::experiments {

class Folder {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}

  // The study of an earlier start, if there was one; touches nothing. kRefused if it is of another
  // program or kind, if a trial's job is another one there, or if the folder holds something else
  // (an empty runs/ or a lock is nothing).
  Result<std::optional<Study>> check(const Plan& plan, const std::string& program) const;
  // check(), then writes study.json, with the figures of before beside the new ones. Whoever calls
  // it while others may do so too holds the folder's lock.
  Result<Study> prepare(const Plan& plan, const std::string& program) const;
  Result<Study> read() const;  // study.json

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path study_file() const { return path_ / "study.json"; }
  std::filesystem::path lock_file() const { return path_ / "runs" / "lock"; }
  std::filesystem::path run(const std::string& trial) const { return path_ / "runs" / trial; }
  std::filesystem::path job_file(const std::string& trial) const {
    return path_ / "runs" / (trial + ".toml");
  }
  std::filesystem::path result_file(const std::string& trial) const {
    return run(trial) / "result.json";
  }
  Status make() const;  // with runs/; kBadFile
  bool has_result(const std::string& trial) const;
  Status keep_result(const Trial& trial, nlohmann::json result) const;
  // A run that ended when nobody was there to keep its result, by the summary that it left.
  Status adopt_ended(const Trial& trial) const;
  // What `fedvs train --json` said at the end. kBadFile, kCorrupt.
  Result<nlohmann::json> result(const std::string& trial) const;

 private:
  bool is_free() const;
  Result<std::optional<Study>> earlier(const Study& study, const std::string& program) const;
  Status check_job(const Trial& trial) const;
  std::filesystem::path path_;
};

}  // namespace fedvs::experiments
