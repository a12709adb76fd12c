#include "fedvs/protocol/upload_box.h"

#include <fmt/format.h>

#include <algorithm>

namespace fedvs::protocol {
namespace {

const Upload& upload_of(const MessagePtr& message) { return std::get<Upload>(*message); }

std::vector<std::int64_t> stacked(const std::vector<field::RingMatrix>& segments) {
  std::vector<std::int64_t> sums;
  for (const auto& segment : segments) {
    const auto integers = segment.to_integers();
    sums.insert(sums.end(), integers.begin(), integers.end());
  }
  return sums;
}

}  // namespace

UploadBox::UploadBox(const Agreement& agreement, const coding::LagrangeCode& code)
    : agreement_(agreement), code_(code) {}

void UploadBox::expect(std::shared_ptr<const Plan> plan) {
  plan_ = std::move(plan);
  uploads_.clear();
  opened_ = false;
}

Status UploadBox::add(const MessagePtr& message) {
  const Upload& upload = upload_of(message);
  if (!plan_ || upload.revision != plan_->revision) {
    return Error{ErrorCode::kRefused,
                 fmt::format("client {} uploaded for revision {}, which is not open",
                             upload.from + 1, upload.revision)};
  }
  const bool right_size = upload.values.empty() || (upload.values.rows() == plan_->rows.size() &&
                                                    upload.values.cols() == agreement_.width);
  const bool repeated = std::ranges::any_of(
      uploads_, [&](const auto& other) { return upload_of(other).from == upload.from; });
  if (!right_size || repeated) {
    return Error{ErrorCode::kRefused,
                 fmt::format("client {} uploaded {} x {} values for {} x {}, or twice",
                             upload.from + 1, upload.values.rows(), upload.values.cols(),
                             plan_->rows.size(), agreement_.width)};
  }
  uploads_.push_back(message);
  return {};
}

std::vector<int> UploadBox::responders() const {
  std::vector<int> responders;
  for (const auto& message : uploads_) responders.push_back(upload_of(message).from);
  return responders;
}

std::vector<coding::Share> UploadBox::shares() const {
  std::vector<coding::Share> shares;
  for (const auto& message : uploads_) {
    shares.push_back({upload_of(message).from, &upload_of(message).values});
  }
  return shares;
}

Result<UploadBox::Opened> UploadBox::open() {
  opened_ = true;
  if (agreement_.correct_uploads) {
    FEDVS_TRY(auto corrected, coding::correct(code_, shares(), agreement_.corrupt_uploads));
    return Opened{stacked(corrected.segments), std::move(corrected.wrong)};
  }
  FEDVS_TRY(auto segments, coding::open(code_, shares()));
  return Opened{stacked(segments), {}};
}

bool UploadBox::consistent(const Upload& upload) const {
  return coding::consistent(code_, shares(), {upload.from, &upload.values});
}

}  // namespace fedvs::protocol
