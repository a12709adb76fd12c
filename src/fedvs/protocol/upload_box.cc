#include "fedvs/protocol/upload_box.h"

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

Result<UploadBox::Opened> UploadBox::open() {
  const auto all = shares(current_);
  if (agreement_.correct_uploads) {
    FEDVS_TRY(auto corrected, coding::correct(code_, all, agreement_.corrupt_uploads));
    current_.wrong = corrected.wrong;
    return Opened{stacked(corrected.segments), std::move(corrected.wrong)};
  }
  FEDVS_TRY(auto segments, coding::open(code_, all));
  const auto threshold = static_cast<std::size_t>(agreement_.shape.threshold());
  for (const auto& surplus : std::span(all).subspan(threshold)) {
    if (!coding::consistent(code_, all, surplus)) return contradiction(*current_.plan, all);
  }
  return Opened{stacked(segments), {}};
}

const UploadBox::Uploads* UploadBox::opened(const Upload& upload) const {
  for (const Uploads* of : {&current_, &last_}) {
    if (of->opened && of->plan->revision == upload.revision) return of;
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
  const auto complete = [](const MessagePtr& u) { return upload_of(u).values != nullptr; };
  if (std::ranges::any_of(of->uploads, known) || std::ranges::any_of(late_, known)) return;
  if (std::ranges::all_of(of->uploads, complete)) late_.push_back(message);
}

std::vector<Error> UploadBox::check_late() {
  std::vector<Error> wrong;
  for (const auto& message : std::exchange(late_, {})) {
    if (const Status fits = check_late(message); !fits) wrong.push_back(fits.error());
  }
  return wrong;
}

Status UploadBox::check_late(const MessagePtr& message) const {
  const Upload& upload = upload_of(message);
  const Uploads* of = opened(upload);
  if (of == nullptr) return {};
  auto all = shares(*of);
  std::erase_if(all, [&](const auto& s) { return std::ranges::count(of->wrong, s.party) > 0; });
  const coding::Share late{upload.from, upload.values.get()};
  if (coding::consistent(code_, all, late)) return {};
  all.push_back(late);
  return contradiction(*of->plan, all);
}

Error UploadBox::contradiction(const Plan& plan, const std::vector<coding::Share>& shares) const {
  const int surplus = static_cast<int>(shares.size()) - agreement_.shape.threshold();
  std::string names;
  if (surplus >= 2) {
    const auto found = coding::correct(code_, shares, surplus / 2);
    for (int client : found ? found->wrong : std::vector<int>{}) {
      names += agreement_.listed(client);
    }
  }
  if (!names.empty()) {
    return Error{ErrorCode::kCorrupt,
                 fmt::format("round {}: the upload of client{} is wrong, by its own doing or by a "
                             "share that another client sent it. Set protocol.on_corrupt = "
                             "\"correct\" to go on without such uploads",
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

void UploadBox::refill(const std::function<MessagePtr(int client)>& make) {
  for (auto& message : current_.uploads) message = make(upload_of(message).from);
}

}  // namespace fedvs::protocol
