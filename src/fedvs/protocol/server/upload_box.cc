#include "fedvs/protocol/server/upload_box.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fedvs::protocol {
namespace {

const Upload& upload_of(const MessagePtr& message) { return std::get<Upload>(*message); }

std::vector<std::int64_t> stacked(const std::vector<field::RingMatrix>& segments) {
  const auto entries = [](const field::RingMatrix& m) { return m.rows() * m.cols(); };
  std::size_t count = 0, at = 0;
  for (const auto& segment : segments) count += entries(segment);
  std::vector<std::int64_t> sums(count);
  for (const auto& segment : segments) {
    segment.to_integers(std::span(sums).subspan(at, entries(segment)));
    at += entries(segment);
  }
  return sums;
}

}  // namespace

UploadBox::UploadBox(const Agreement& agreement, const coding::LagrangeCode& code)
    : agreement_(agreement), code_(code) {}

void UploadBox::expect(std::shared_ptr<const Plan> plan) {
  if (current_.opened) last_ = std::move(current_);
  current_ = {.plan = std::move(plan), .uploads = {}};
}

Status UploadBox::add(const MessagePtr& message) {
  const Upload& upload = upload_of(message);
  const auto& plan = current_.plan;
  if (!is_open(upload.revision)) {
    return Error{ErrorCode::kRefused, fmt::format("{} uploaded for revision {}, which is not open",
                                                  agreement_.name(upload.from), upload.revision)};
  }
  if (current_.tag && upload.tag != *current_.tag) {
    return Error{
        ErrorCode::kRefused,
        fmt::format("{} uploaded for another content of revision {}: other sharings, seeds "
                    "of masks or groups than everybody's",
                    agreement_.name(upload.from), upload.revision)};
  }
  const std::size_t rows = upload.values ? upload.values->rows() : plan->rows.size();
  const std::size_t cols = upload.values ? upload.values->cols() : agreement_.width;
  const bool right_size = rows == plan->rows.size() && cols == agreement_.width;
  const bool repeated = std::ranges::any_of(
      current_.uploads, [&](const auto& other) { return upload_of(other).from == upload.from; });
  if (!right_size) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} uploaded {} x {} values for {} x {}", agreement_.name(upload.from),
                             rows, cols, plan->rows.size(), agreement_.width)};
  }
  if (repeated) {
    return Error{ErrorCode::kRefused, fmt::format("{} has uploaded twice for revision {}",
                                                  agreement_.name(upload.from), upload.revision)};
  }
  current_.uploads.push_back(message);
  return {};
}

std::vector<int> UploadBox::responders() const {
  std::vector<int> responders;
  for (const auto& message : current_.uploads) responders.push_back(upload_of(message).from);
  return responders;
}

std::vector<coding::Share> UploadBox::shares(const Uploads& of) const {
  std::vector<coding::Share> shares;
  for (const auto& message : of.uploads) {
    shares.push_back({upload_of(message).from, upload_of(message).values.get()});
  }
  return shares;
}

// Step 4 of 5, open.                                                          Paper: Eq. (6), (7)
//   at the server:  sum_n X_nk W_n, k = 1 .. K, from u_m of any R clients m
// Waits    for R = threshold uploads; later ones only check the result.
// Sends    nothing.       Costs  K b R h multiply-adds.
// Reveals  to the server the sum over all clients of every row of the batch, and no summand.
Result<UploadBox::Opened> UploadBox::open() {
  const auto all = shares(current_);
  if (agreement_.correct_uploads) {
    FEDVS_TRY(auto corrected, coding::correct(code_, all, agreement_.corrupt_uploads));
    current_.wrong = corrected.wrong;
    current_.checked = true;
    return Opened{stacked(corrected.segments), std::move(corrected.wrong)};
  }
  FEDVS_TRY(auto segments, coding::open(code_, all));
  const auto threshold = static_cast<std::size_t>(agreement_.shape.threshold());
  const auto fits = [&](const auto& surplus) { return coding::consistent(code_, all, surplus); };
  if (std::ranges::all_of(std::span(all).subspan(threshold), fits)) {
    current_.checked = true;
    return Opened{stacked(segments), {}};
  }
  auto corrected = found_out(all);
  if (!corrected) return contradiction(*current_.plan, all, {});
  current_.wrong = corrected->wrong;
  current_.checked = true;
  return Opened{stacked(corrected->segments), std::move(corrected->wrong)};
}

std::optional<coding::Correction> UploadBox::found_out(
    const std::vector<coding::Share>& shares) const {
  const int surplus = static_cast<int>(shares.size()) - agreement_.shape.threshold();
  if (surplus < 2) return std::nullopt;
  auto corrected = coding::correct(code_, shares, surplus / 2);
  if (!corrected || corrected->wrong.empty()) return std::nullopt;
  return std::move(*corrected);
}

void UploadBox::drop(int client) {
  std::erase_if(current_.uploads, [&](const auto& m) { return upload_of(m).from == client; });
}

bool UploadBox::has_upload_of(int client) const {
  return std::ranges::any_of(current_.uploads,
                             [&](const auto& m) { return upload_of(m).from == client; });
}

const UploadBox::Uploads* UploadBox::opened(const Upload& upload) const {
  for (const Uploads* of : {&current_, &last_}) {
    if (of->checked && of->plan->revision == upload.revision) return of;
  }
  return nullptr;
}

// Of one sender one: whoever repeats itself costs neither memory nor work.
void UploadBox::keep_late(const MessagePtr& message) {
  const Upload& upload = upload_of(message);
  const Uploads* of = opened(upload);
  if (of == nullptr || !upload.values || upload.values->rows() != of->plan->rows.size() ||
      upload.values->cols() != agreement_.width) {
    return;
  }
  const auto known = [&](const MessagePtr& other) {
    return upload_of(other).from == upload.from && upload_of(other).revision == upload.revision;
  };
  if (std::ranges::any_of(of->uploads, known) || std::ranges::any_of(late_, known)) return;
  late_.push_back(message);
}

std::vector<UploadBox::Contradiction> UploadBox::check_late() {
  std::vector<Contradiction> found;
  const auto late = std::exchange(late_, {});
  for (const Uploads* of : {&current_, &last_}) {
    std::vector<MessagePtr> its;
    for (const auto& message : late) {
      if (opened(upload_of(message)) == of) its.push_back(message);
    }
    if (auto contradiction = check_late(*of, its)) found.push_back(std::move(*contradiction));
  }
  return found;
}

std::optional<UploadBox::Contradiction> UploadBox::check_late(
    const Uploads& of, const std::vector<MessagePtr>& late) const {
  if (late.empty()) return std::nullopt;
  auto all = shares(of);
  std::erase_if(all, [&](const auto& s) { return std::ranges::count(of.wrong, s.party) > 0; });
  const auto used = all;
  bool fits = true;
  for (const auto& message : late) {
    const Upload& upload = upload_of(message);
    all.push_back({upload.from, upload.values.get()});
    fits = fits && coding::consistent(code_, used, all.back());
  }
  if (fits) return std::nullopt;
  const auto corrected = found_out(all);
  const auto wrong = corrected ? corrected->wrong : std::vector<int>{};
  const auto is_wrong = [&](const auto& s) { return std::ranges::count(wrong, s.party) > 0; };
  return Contradiction{of.plan, wrong, wrong.empty() || std::ranges::any_of(used, is_wrong),
                       contradiction(*of.plan, all, wrong)};
}

Error UploadBox::contradiction(const Plan& plan, const std::vector<coding::Share>& shares,
                               const std::vector<int>& wrong) const {
  std::string names;
  if (!wrong.empty()) {
    for (int client : wrong) names += agreement_.listed(client);
    return Error{ErrorCode::kCorrupt,
                 fmt::format("round {}: the upload of client{} is wrong, by its own doing or by a "
                             "share that another client sent it",
                             plan.round, names)};
  }
  for (const auto& share : shares) names += agreement_.listed(share.party);
  return Error{
      ErrorCode::kCorrupt,
      fmt::format("round {}: the uploads of clients{} do not lie on one polynomial: one of "
                  "them, or a sender of its shares, is wrong. Set protocol.on_corrupt = "
                  "\"correct\" to find out which",
                  plan.round, names)};
}

}  // namespace fedvs::protocol
