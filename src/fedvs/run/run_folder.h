// runs/<name>/: what a run leaves, and where.
//   job.toml  events.jsonl  metrics.csv  checkpoint/
#pragma once
#include <filesystem>

#include "fedvs/base/result.h"
#include "fedvs/job/job.h"

namespace fedvs::run {

class RunFolder {
 public:
  // Makes the folder and writes job.toml. kRefused for a folder that holds something already,
  // kBadFile for a place that cannot be written; then nothing is left behind.
  static Result<RunFolder> create(const std::filesystem::path& path, const Job& job);
  // A folder that create() made. kBadFile without job.toml, kBadJob if that cannot be used.
  static Result<RunFolder> open(const std::filesystem::path& path);

  // The folder of a run that goes on and whose job is known from elsewhere: a job.toml that is
  // damaged is set aside, and one that is missing is written again. kBadFile.
  static Result<RunFolder> mend(const std::filesystem::path& path, const Job& job);

  const std::filesystem::path& path() const { return path_; }
  const Job& job() const { return job_; }
  std::filesystem::path job_file() const { return path_ / "job.toml"; }
  std::filesystem::path events_file() const { return path_ / "events.jsonl"; }
  std::filesystem::path metrics_file() const { return path_ / "metrics.csv"; }
  std::filesystem::path checkpoint_folder() const { return path_ / "checkpoint"; }
  std::filesystem::path checkpoint_file() const { return checkpoint_folder() / "latest.ckpt"; }

 private:
  RunFolder(std::filesystem::path path, Job job) : path_(std::move(path)), job_(std::move(job)) {}
  std::filesystem::path path_;
  Job job_;
};

}  // namespace fedvs::run
