// The one table of job keys: it parses, checks, prints, overrides and documents struct Job.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fedvs/job/job.h"

namespace fedvs {

template <class T>
struct JobField {
  T& (*edit)(Job&);
  const T& (*read)(const Job&);
};
// Of an enum (choices.h), as the place of its value among the key's choices.
struct JobChoice {
  void (*edit)(Job&, std::size_t place);
  std::size_t (*read)(const Job&);
};
using AnyJobField =
    std::variant<JobField<std::string>, JobField<int>, JobField<std::int64_t>, JobField<double>,
                 JobField<std::vector<std::string>>, JobField<std::vector<int>>, JobChoice>;

// What a value may be. Of a list of numbers, every element is bound by it.
struct JobLimits {
  std::vector<std::string> choices = {};  // words; empty: any
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;
  bool zero_is_auto = false;  // 0 lies outside the bounds and may be written "auto"
};

struct JobKey {
  std::string_view name;  // "train.batch_size"; "method" and "preset" have no table
  AnyJobField field;
  JobLimits limits;
  std::string_view help;
};

std::span<const JobKey> job_keys();
const JobKey* find_job_key(std::string_view name);      // nullptr if there is none
std::string suggested_job_key(std::string_view wrong);  // the nearest key's name, or empty
std::string_view table_of(const JobKey& key);           // "train", or empty
std::string_view leaf_of(const JobKey& key);            // "batch_size"

// A value before its key has checked it, as TOML and the command line can say it.
using JobValue = std::variant<std::string, std::int64_t, double, std::vector<std::string>,
                              std::vector<std::int64_t>>;

std::string allowed(const JobKey& key);  // "an integer of at least 1", "one of a, b, c"
JobValue value_of(const JobKey& key, const Job& job);
// Sets the field, or says what the value must be and leaves the job as it was.
std::optional<std::string> assign(const JobKey& key, Job& job, const JobValue& value);

}  // namespace fedvs
