#include "fedvs/job/parse.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/job/presets.h"
#include "fedvs/job/toml_values.h"

namespace fedvs {
namespace {

Error bad_job(std::string message) { return {ErrorCode::kBadJob, std::move(message)}; }

std::string place(std::string_view filename, const toml::source_region& source) {
  return fmt::format("{}:{}", filename, source.begin.line);
}

bool is_table_name(std::string_view name) {
  return std::ranges::any_of(job_keys(), [&](const auto& key) { return table_of(key) == name; });
}

// Of jobs that earlier versions wrote down whole, so that their runs can still be read: nothing
// depends on it any more.
bool is_retired(std::string_view name) { return name == "protocol.mask_stock"; }

Error unknown_key(std::string_view name, std::string_view where) {
  if (is_table_name(name)) {
    return bad_job(
        fmt::format("{}: {} is a table of keys: write [{}] and its keys below", where, name, name));
  }
  const std::string close = suggested_job_key(name);
  const std::string remedy = close.empty() ? "`fedvs train --print-job` lists all keys"
                                           : fmt::format("did you mean {}?", close);
  return bad_job(fmt::format("{}: unknown key {}; {}", where, name, remedy));
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

struct Leaf {
  std::string name;
  const toml::node* node;
};
// Keys inside tables of any name, so that one in a misspelt table is still suggested right.
void collect_leaves(const toml::table& table, const std::string& prefix, std::vector<Leaf>& out) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    const toml::table* inner = node.as_table();
    if (inner != nullptr && (!inner->empty() || is_table_name(name)) && !find_job_key(name)) {
      collect_leaves(*inner, name + ".", out);
    } else {
      out.push_back({name, &node});
    }
  }
}

Result<toml::table> parse_toml(std::string_view text, std::string_view filename) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    return bad_job(fmt::format("{}: not TOML: {}; strings need quotes: key = \"value\"",
                               place(filename, error.source()), error.description()));
  }
}

}  // namespace

Status JobEdits::add(const JobKey& key, JobValue value, std::string_view shown,
                     std::string_view where) {
  Job scratch;
  if (const auto complaint = assign(key, scratch, value)) {
    return bad_job(fmt::format("{}: {} = {}: {}", where, key.name, shown, *complaint));
  }
  edits_.push_back({&key, std::move(value)});
  return {};
}

Status JobEdits::add_toml(std::string_view text, std::string_view filename) {
  FEDVS_TRY(const toml::table table, parse_toml(text, filename));
  std::vector<Leaf> leaves;
  collect_leaves(table, "", leaves);
  std::ranges::stable_sort(leaves, {}, [](const Leaf& l) { return l.node->source().begin.line; });
  for (const auto& [name, node] : leaves) {
    const std::string where = place(filename, node->source());
    if (is_retired(name)) continue;
    const JobKey* key = find_job_key(name);
    if (key == nullptr) return unknown_key(name, where);
    const std::string shown = to_toml_text(*node);
    auto value = from_toml(*node);
    if (!value)
      return bad_job(fmt::format("{}: {} = {}: must be {}", where, name, shown, allowed(*key)));
    FEDVS_TRY_STATUS(add(*key, std::move(*value), shown, where));
  }
  return {};
}

Status JobEdits::add_override(std::string_view assignment) {
  const auto equals = assignment.find('=');
  const std::string name = trimmed(assignment.substr(0, equals));
  if (equals == std::string_view::npos || name.empty()) {
    return bad_job(
        fmt::format("--set {}: write it as KEY=VALUE, for example train.epochs=20", assignment));
  }
  const JobKey* key = find_job_key(name);
  if (key == nullptr) return unknown_key(name, "--set");
  const std::string text = trimmed(assignment.substr(equals + 1));
  return add(*key, from_text(*key, text), text, "--set");
}

Job JobEdits::applied_to(Job job) const {
  for (const auto& [key, value] : edits_) assign(*key, job, value);
  return job;
}

bool JobEdits::sets(std::string_view key) const {
  return std::ranges::any_of(edits_, [&](const Edit& edit) { return edit.key->name == key; });
}

Result<Job> parse_job(std::string_view text, std::string_view filename) {
  JobEdits edits;
  FEDVS_TRY_STATUS(edits.add_toml(text, filename));
  return edits.applied_to({});
}

Status set_key(Job& job, std::string_view assignment) {
  JobEdits edits;
  FEDVS_TRY_STATUS(edits.add_override(assignment));
  job = edits.applied_to(std::move(job));
  return {};
}

Result<Job> complete_job(const JobSource& source) {
  JobEdits edits;
  if (source.toml) FEDVS_TRY_STATUS(edits.add_toml(*source.toml, source.filename));
  for (const auto& set : source.sets) FEDVS_TRY_STATUS(edits.add_override(set));
  const Job chosen = edits.applied_to({});  // for what the presets depend on
  Job job;
  job.data.name = chosen.data.name;
  job.preset = chosen.preset;
  job.method = chosen.method;
  apply_preset(job);
  apply_method(job);
  job = edits.applied_to(std::move(job));
  FEDVS_TRY_STATUS(validate(job));
  return job;
}

}  // namespace fedvs
