#include "fedvs/party/gradient_log.h"

#include <fmt/format.h>

#include "fedvs/base/bytes.h"
#include "fedvs/wire/codec.h"

namespace fedvs::party {
namespace {

using protocol::SentGradient;
using protocol::Step;

constexpr std::uint64_t kWorthRewriting = 64u << 20;  // bytes

// A step with nothing but the gradient, as a client would get it.
std::string record_of(const SentGradient& sent, int parties) {
  const std::vector<bool> none(static_cast<std::size_t>(parties), false);
  ByteWriter out;
  out.number(sent.gradient->plan().round);
  out.raw(wire::encode(Step{.gradient = sent.gradient,
                            .share = none,
                            .plan = {},
                            .groups = {},
                            .frozen = none,
                            .released = none,
                            .rate_factor = sent.rate_factor}));
  return out.take();
}

}  // namespace

Result<std::unique_ptr<GradientLog>> GradientLog::open(const std::filesystem::path& path,
                                                       const protocol::Agreement& agreement) {
  std::unique_ptr<GradientLog> log(new GradientLog(path, agreement));
  FEDVS_TRY(auto file, store::RecordLog::open(path, [&](std::uint64_t offset, std::string_view r) {
              return log->index(offset, r);
            }));
  log->log_.emplace(std::move(file));
  return log;
}

Status GradientLog::index(std::uint64_t offset, std::string_view record) {
  ByteReader in(record);
  FEDVS_TRY(const auto step, in.number<protocol::StepNumber>());
  if (offsets_.empty()) oldest_ = step;
  if (step != end()) {
    return Error{ErrorCode::kCorrupt, fmt::format("step {} after step {}", step, end())};
  }
  offsets_.push_back(offset);
  return {};
}

Status GradientLog::append(const SentGradient& sent) {
  if (offsets_.empty()) oldest_ = sent.gradient->plan().round;
  FEDVS_CHECK(sent.gradient->plan().round == end(), "gradients come in the order of their rounds");
  const auto record = record_of(sent, agreement_.shape.parties);
  FEDVS_TRY(const auto offset, log_->append(record, store::RecordLog::Sync::kYes));
  offsets_.push_back(offset);
  return {};
}

Result<SentGradient> GradientLog::read(protocol::StepNumber step) const {
  if (step < oldest_ || step >= end()) {
    return Error{ErrorCode::kBadFile, fmt::format("{} has the gradients of steps {} to {}, not {}",
                                                  path_.string(), oldest_, end(), step)};
  }
  FEDVS_TRY(const auto record, log_->read(offsets_[step - oldest_]));
  const auto body = std::string_view(record).substr(sizeof(protocol::StepNumber));
  FEDVS_TRY(const auto message, wire::decode(agreement_, body));
  const auto* sent = std::get_if<Step>(message.get());
  if (sent == nullptr || !sent->gradient) {
    return Error{ErrorCode::kCorrupt, path_.string() + " holds something else than gradients"};
  }
  return SentGradient{sent->gradient, sent->rate_factor};
}

void GradientLog::forget_before(protocol::StepNumber step) {
  while (oldest_ < step && offsets_.size() > 1) {  // the last one says where the run is
    ++oldest_;
    offsets_.pop_front();
  }
  const std::uint64_t kept = offsets_.empty() ? 0 : log_->size() - offsets_.front();
  if (log_->size() < kWorthRewriting || kept > log_->size() / 4) return;
  // What cannot be shortened now is shortened later: nothing is lost by a longer file.
  if (const auto done = rewrite(); !done) return;
}

Status GradientLog::rewrite() {
  const auto beside = path_.string() + ".new";
  std::filesystem::remove(beside);
  FEDVS_TRY(auto fresh, store::RecordLog::open(beside, [](auto, auto) { return Status{}; }));
  std::deque<std::uint64_t> offsets;
  for (const auto offset : offsets_) {
    FEDVS_TRY(const auto record, log_->read(offset));
    const bool last = offset == offsets_.back();
    const auto sync = last ? store::RecordLog::Sync::kYes : store::RecordLog::Sync::kNo;
    FEDVS_TRY(const auto moved, fresh.append(record, sync));
    offsets.push_back(moved);
  }
  std::error_code failed;
  std::filesystem::rename(beside, path_, failed);
  if (failed) return Error{ErrorCode::kBadFile, failed.message()};
  log_.emplace(std::move(fresh));
  offsets_ = std::move(offsets);
  return {};
}

Status GradientLog::cut_to(protocol::StepNumber sent) {
  if (end() < sent) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("{} ends at step {}, the run has sent {} gradients; restore the "
                             "server's folder whole",
                             path_.string(), end(), sent)};
  }
  if (end() == sent) return {};
  offsets_.resize(sent - std::min(sent, oldest_));
  return rewrite();
}

}  // namespace fedvs::party
