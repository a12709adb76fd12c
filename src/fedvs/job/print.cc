#include "fedvs/job/print.h"

#include <fmt/format.h>

#include "fedvs/job/toml_values.h"

namespace fedvs {
namespace {

std::string line_of(const JobKey& key, const Job& job) {
  return fmt::format("{} = {}", leaf_of(key), to_toml_text(value_of(key, job)));
}

std::string comment_of(const JobKey& key) {
  const bool says_more = !key.limits.choices.empty() || key.limits.low > 0 || key.limits.low_open ||
                         key.limits.high_open || key.limits.zero_is_auto;
  return says_more ? fmt::format("{} ({})", key.help, allowed(key)) : std::string(key.help);
}

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';  // a bare bar would end the cell
    out += c;
  }
  return out;
}

}  // namespace

std::string print_job(const Job& job) {
  std::string text = "# A FedVS job, complete: every key with its value.\n";
  std::string_view table;
  for (const auto& key : job_keys()) {
    if (table_of(key) != table) text += fmt::format("\n[{}]\n", table = table_of(key));
    text += fmt::format("{:<32} # {}\n", line_of(key, job), comment_of(key));
  }
  return text;
}

Digest job_digest(const Job& job) {
  Hasher hasher;
  for (const auto& key : job_keys()) {
    hasher.add(fmt::format("{}={}\n", key.name, to_toml_text(value_of(key, job))));
  }
  return hasher.finish();
}

std::string digest(const Job& job) { return to_hex(job_digest(job)); }

std::string job_reference_markdown() {
  std::string text = "| key | default | allowed | meaning |\n|---|---|---|---|\n";
  for (const auto& key : job_keys()) {
    text +=
        fmt::format("| `{}` | `{}` | {} | {} |\n", key.name,
                    cell(to_toml_text(value_of(key, Job{}))), cell(allowed(key)), cell(key.help));
  }
  return text;
}

}  // namespace fedvs
