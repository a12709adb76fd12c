#include "fedvs/job/print.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fedvs/job/parse.h"

namespace fedvs {
namespace {

using testing::HasSubstr;

// A value that the key accepts and that differs from its default.
JobValue another_value(const JobKey& key) {
  if (const auto& choices = key.limits.choices; !choices.empty()) {
    const JobValue last = choices.back();
    return last == value_of(key, {}) ? choices.front() : last;
  }
  if (std::holds_alternative<JobField<std::string>>(key.field)) {
    return std::string("a \"quoted\" \\ 'name', # with\nlines\tand \xC3\xBC");
  }
  if (std::holds_alternative<JobField<double>>(key.field)) return 0.1 + 0.2;  // 17 digits
  if (std::holds_alternative<JobField<std::vector<std::string>>>(key.field)) {
    return std::vector<std::string>{"x,y", "", "z\"]"};
  }
  if (std::holds_alternative<JobField<std::vector<int>>>(key.field)) {
    return std::vector<std::int64_t>{3, 1, 2};
  }
  return std::int64_t{7};
}

TEST(PrintJob, ParsingWhatWasPrintedGivesBackEveryKey) {
  for (const auto& key : job_keys()) {
    // Given a job in which this key alone is not the default,
    Job job;
    ASSERT_EQ(assign(key, job, another_value(key)), std::nullopt) << key.name;
    ASSERT_NE(value_of(key, job), value_of(key, Job{})) << key.name;
    // When it is printed and parsed,
    const auto again = parse_job(print_job(job), "printed");
    ASSERT_TRUE(again) << again.error().message;
    // Then all keys are as they were.
    for (const auto& other : job_keys()) {
      EXPECT_EQ(value_of(other, *again), value_of(other, job)) << other.name;
    }
    EXPECT_EQ(print_job(*again), print_job(job));
  }
}

TEST(PrintJob, SpellsOutEveryKeyOnce) {
  std::set<std::string_view> names;
  const std::string text = print_job({});
  for (const auto& key : job_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_THAT(text, HasSubstr(fmt::format("\n{} = ", leaf_of(key)))) << key.name;
  }
}

TEST(PrintJob, WritesAutomaticNumbersAsAuto) {
  EXPECT_THAT(print_job({}), HasSubstr("\nK = \"auto\""));
}

// A field without a key could not be set, printed or compared. A field more or less makes one of
// these bindings ill-formed: count it here, and give it a key.
std::size_t fields_of(const Job& job) {
  [[maybe_unused]] const auto& [method, preset, data, model, train, code, protocol, dp, sim] = job;
  {
    [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15,
                                  f16] = data;
  }
  { [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6, f7, f8] = model; }
  { [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13] = train; }
  { [[maybe_unused]] const auto& [f1, f2, f3, f4, f5] = code; }
  { [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10] = protocol; }
  { [[maybe_unused]] const auto& [f1, f2, f3] = dp; }
  { [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9] = sim; }
  return 2 + 16 + 8 + 13 + 5 + 10 + 3 + 9;
}

TEST(JobKeys, CoverEveryFieldOfTheStructOnce) {
  std::set<const void*> fields;
  const Job job;
  for (const auto& key : job_keys()) {
    const auto note = [&]<class Field>(const Field& field) {
      if constexpr (std::is_same_v<Field, JobChoice>) {
        fields.insert(reinterpret_cast<const void*>(field.read));  // one function per field
      } else {
        fields.insert(&field.read(job));
      }
    };
    std::visit(note, key.field);
  }
  EXPECT_EQ(fields.size(), job_keys().size());
  EXPECT_EQ(fields.size(), fields_of(job));
}

TEST(Digest, DiffersForEveryKeyAndIsTheSameForEqualJobs) {
  std::set<std::string> digests = {digest({})};
  EXPECT_EQ(digest({}), digest(Job{}));
  for (const auto& key : job_keys()) {
    Job job;
    ASSERT_EQ(assign(key, job, another_value(key)), std::nullopt) << key.name;
    EXPECT_TRUE(digests.insert(digest(job)).second) << key.name;
  }
}

TEST(JobReference, HasALineOfFourCellsForEveryKey) {
  const std::string page = job_reference_markdown();
  for (const auto& key : job_keys()) {
    EXPECT_THAT(page, HasSubstr(fmt::format("\n| `{}` | `", key.name))) << key.name;
    EXPECT_THAT(page, HasSubstr(allowed(key))) << key.name;
  }
}

}  // namespace
}  // namespace fedvs
