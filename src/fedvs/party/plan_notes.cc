#include "fedvs/party/plan_notes.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "fedvs/base/descriptor.h"
#include "fedvs/base/log.h"
#include "fedvs/party/saved_client.h"
#include "fedvs/party/saved_notes.h"

namespace fedvs::party {
namespace {

constexpr std::string_view kBefore = "plans-", kAfter = ".log";

// Of plans-G.log; none for other files.
std::optional<std::uint64_t> generation_of(std::string_view name) {
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) return std::nullopt;
  name.remove_prefix(kBefore.size());
  name.remove_suffix(kAfter.size());
  std::uint64_t generation = 0;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), generation);
  if (failed != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return generation;
}

}  // namespace

Result<PlanNotes> PlanNotes::open(const std::filesystem::path& folder, std::uint64_t checkpoint) {
  PlanNotes notes(folder, checkpoint);
  FEDVS_TRY_STATUS(notes.find_newest());
  FEDVS_TRY_STATUS(notes.open_file());
  return notes;
}

Status PlanNotes::find_newest() {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failed)) {
    const auto noted = generation_of(entry.path().filename().string());
    if (noted && *noted > generation_) generation_ = *noted;
  }
  return failed ? Status(file_error("read", folder_, failed.value())) : Status{};
}

std::filesystem::path PlanNotes::file() const {
  return folder_ / fmt::format("{}{}{}", kBefore, generation_, kAfter);
}

Status PlanNotes::open_file() {
  auto log = store::RecordLog::open(
      file(),
      [&](std::uint64_t, std::string_view record) {
        found_.emplace_back(record);
        return Status{};
      },
      store::RecordLog::OnDamage::kStop);
  if (!log) {
    return Error{log.error().code,
                 fmt::format("{}; put back a copy of it{}", log.error().message, kClientRemedy)};
  }
  log_.emplace(std::move(*log));
  return {};
}

Status PlanNotes::add(const protocol::Step& step, Sync sync) {
  FEDVS_TRY(const auto written, log_->append(plan_note(step), sync));
  static_cast<void>(written);
  return {};
}

Status PlanNotes::begin_next() {
  const auto old = file();
  checkpoint_ = ++generation_;
  FEDVS_TRY_STATUS(open_file());
  found_.clear();
  std::error_code ignored;
  std::filesystem::remove(old, ignored);
  return {};
}

Status PlanNotes::recall(const protocol::Agreement& agreement, protocol::Client& client,
                         Versions& named) {
  for (const auto& record : std::exchange(found_, {})) {
    FEDVS_TRY(const auto step, read_plan_note(agreement, record));
    if (const auto recalled = client.recall_plan(step); !recalled) {
      log::warning("a noted plan, revision {}, is dropped: {}", step.plan->revision,
                   recalled.error().message);
      continue;
    }
    named = versions_of(*step.plan);
  }
  return {};
}

}  // namespace fedvs::party
