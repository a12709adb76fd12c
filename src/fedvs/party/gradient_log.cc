#include "fedvs/party/gradient_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "fedvs/party/saved_notes.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/store/set_aside.h"

namespace fedvs::party {
namespace {

using protocol::SentGradient;
using protocol::StepNumber;
namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "gradients-", kSuffix = ".log";

fs::path segment_name(StepNumber first) { return fmt::format("{}{}{}", kPrefix, first, kSuffix); }

std::optional<StepNumber> first_step_of(const std::string& name) {
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return std::nullopt;
  StepNumber first = 0;
  const char* const begin = name.data() + kPrefix.size();
  const char* const end = name.data() + name.size() - kSuffix.size();
  const auto read = std::from_chars(begin, end, first);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return first;
}

}  // namespace

Result<std::unique_ptr<GradientLog>> GradientLog::open(const fs::path& folder,
                                                       const protocol::Agreement& agreement,
                                                       Room room) {
  std::unique_ptr<GradientLog> log(new GradientLog(folder, agreement, room));
  FEDVS_TRY_STATUS(log->read_folder());
  return log;
}

// Newest first, as long as each ends where the next one begins.
Status GradientLog::read_folder() {
  std::vector<StepNumber> firsts;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (const auto first = first_step_of(entry.path().filename().string())) {
      firsts.push_back(*first);
    }
  }
  std::ranges::sort(firsts, std::greater<>());
  bool broken = false;
  for (const auto first : firsts) {
    Segment segment{
        .path = folder_ / segment_name(first), .first = first, .log = {}, .offsets = {}};
    auto opened = store::RecordLog::open(
        segment.path,
        [&](std::uint64_t offset, std::string_view record) -> Status {
          FEDVS_TRY(const auto step, round_of_gradient(record));
          if (step != segment.end()) {
            return Error{ErrorCode::kCorrupt,
                         fmt::format("step {} after step {}", step, segment.end())};
          }
          segment.offsets.push_back(offset);
          return {};
        },
        store::RecordLog::OnDamage::kStop);
    if (!opened && segments_.empty()) {
      return Error{
          opened.error().code,
          opened.error().message + "; put back a copy of the server's folder state, whole"};
    }
    broken = broken || !opened || (!segments_.empty() && segment.end() != segments_.front().first);
    if (broken) {
      FEDVS_TRY_STATUS(store::set_aside(
          segment.path, opened ? "gradients are missing after it" : opened.error().message));
      continue;
    }
    segment.log.emplace(std::move(*opened));
    segments_.push_front(std::move(segment));
  }
  if (!segments_.empty()) oldest_ = segments_.front().first;
  return {};
}

Status GradientLog::begin_segment() {
  Segment segment{.path = folder_ / segment_name(end()), .first = end(), .log = {}, .offsets = {}};
  FEDVS_TRY(auto log, store::RecordLog::open(segment.path, [](auto, auto) { return Status{}; }));
  segment.log.emplace(std::move(log));
  segments_.push_back(std::move(segment));
  return {};
}

Status GradientLog::append(const SentGradient& sent) {
  FEDVS_CHECK(sent.gradient->plan().round == end(), "gradients come in the order of their rounds");
  if (segments_.empty() || segments_.back().log->size() >= room_.segment) {
    FEDVS_TRY_STATUS(begin_segment());
  }
  const auto record = gradient_note(sent, agreement_.shape.parties);
  auto& segment = segments_.back();
  FEDVS_TRY(const auto offset, segment.log->append(record, store::RecordLog::Sync::kYes));
  segment.offsets.push_back(offset);
  return {};
}

const GradientLog::Segment& GradientLog::segment_of(StepNumber step) const {
  const auto after = std::ranges::upper_bound(segments_, step, {}, &Segment::first);
  return *std::prev(after);
}

Result<SentGradient> GradientLog::read(StepNumber step) const {
  if (step < oldest_ || step >= end()) {
    return Error{ErrorCode::kBadFile, fmt::format("{} has the gradients of steps {} to {}, not {}",
                                                  folder_.string(), oldest_, end(), step)};
  }
  const auto& segment = segment_of(step);
  FEDVS_TRY(const auto record, segment.log->read(segment.offsets[step - segment.first]));
  FEDVS_TRY(auto sent, read_gradient_note(agreement_, record));
  FEDVS_CHECK(sent.gradient->plan().round == step, "the log is indexed by step");
  return sent;
}

void GradientLog::forget_before(StepNumber step) {
  if (segments_.empty()) return;
  oldest_ = std::max(oldest_, std::min(step, end() - 1));  // the last one says where the run is
  while (segments_.size() > 1 && segments_[1].first <= oldest_) {
    std::error_code ignored;  // what cannot be removed now is of no use at the next start either
    fs::remove(segments_.front().path, ignored);
    segments_.pop_front();
  }
}

StepNumber GradientLog::oldest_that_fits() const {
  std::uint64_t bytes = 0;
  StepNumber oldest = end();
  for (auto segment = segments_.rbegin(); segment != segments_.rend(); ++segment) {
    bytes += segment->log->size();
    if (bytes > room_.all && segment != segments_.rbegin()) return oldest;
    oldest = segment->first;
  }
  return 0;
}

Status GradientLog::cut_to(StepNumber sent) {
  if (end() < sent) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("{}: the gradients end at step {}, and the run has sent {}; put back "
                             "a copy of the server's folder state, whole",
                             segments_.empty() ? (folder_ / "gradients-0.log").string()
                                               : segments_.back().path.string(),
                             end(), sent)};
  }
  if (end() == sent) return {};
  while (segments_.size() > 1 && segments_.back().first > sent) {
    fs::remove(segments_.back().path);
    segments_.pop_back();
  }
  auto& last = segments_.back();
  if (last.first > sent) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("{}: the run has sent {} gradients; put back a copy of the server's "
                             "folder state, whole",
                             last.path.string(), sent)};
  }
  FEDVS_TRY_STATUS(last.log->cut_at(last.offsets[sent - last.first]));
  last.offsets.resize(sent - last.first);  // without any, the file's name still says the step
  oldest_ = std::min(oldest_, sent);
  return {};
}

}  // namespace fedvs::party
