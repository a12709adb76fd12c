// From TOML and --set to a Job. Every error names the key, the value, the place and what is
// allowed.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/result.h"
#include "fedvs/job/job.h"
#include "fedvs/job/keys.h"

namespace fedvs {

// What somebody set explicitly, in order; everything else is left to defaults.
class JobEdits {
 public:
  Status add_toml(std::string_view text, std::string_view filename);
  Status add_override(std::string_view assignment);  // "train.epochs=5"
  Job applied_to(Job job) const;
  bool sets(std::string_view key) const;

 private:
  Status add(const JobKey& key, JobValue value, std::string_view shown, std::string_view where);
  struct Edit {
    const JobKey* key;
    JobValue value;  // has passed its key's checks
  };
  std::vector<Edit> edits_;
};

// These two apply to the built-in defaults, or to `job`: no presets, no checks across keys.
Result<Job> parse_job(std::string_view text, std::string_view filename);
Status set_key(Job& job, std::string_view assignment);

struct JobSource {
  std::optional<std::string> toml;
  std::string filename = "job.toml";  // for messages
  std::vector<std::string> sets;      // "a.b=c"; later ones win
};
// Built-in defaults < the data set's preset < the method < the job file < sets; then validate().
Result<Job> complete_job(const JobSource& source);

// Ranges of every key, and keys that do not go together. Not the shape N, K, T.
Status validate(const Job& job);

}  // namespace fedvs
