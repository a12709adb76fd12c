#include "fedvs/protocol/client/head_book.h"

#include <fmt/format.h>

#include <algorithm>

namespace fedvs::protocol {
namespace {

constexpr std::size_t kAheadKept = 4;  // of a sender
constexpr int kMostWrong = 16;         // of a sender, before nothing more of it is looked at

Error refused(std::string why) { return {ErrorCode::kRefused, std::move(why)}; }

std::size_t entries_kept(const Agreement& a) {
  return static_cast<std::size_t>(2 * a.max_age + 64);
}

}  // namespace

HeadBook::HeadBook(const Agreement& agreement, int self, const Digest& run, VerifyHead verify)
    : agreement_(agreement),
      self_(self),
      run_(run),
      verify_(std::move(verify)),
      waits_(agreement.equivocation != OnEquivocation::kDetect),
      head_{.index = 0, .link = first_link(run), .signature = {}},
      ahead_(parties(agreement)),
      agreed_(parties(agreement)),
      wrong_(parties(agreement), 0),
      told_(parties(agreement)) {
  add(0, {.link = head_.link, .content = {}, .signature = {}});
}

// ---- its own chain

void HeadBook::add(std::uint64_t index, Entry entry) {
  recent_.insert_or_assign(index, std::move(entry));
  while (recent_.size() > entries_kept(agreement_)) recent_.erase(recent_.begin());
}

Status HeadBook::check_next(const SignedHead& next, const Digest& content) const {
  if (next.index != head_.index + 1) {
    return refused(fmt::format("plan {} of the run came after plan {}: none may be left out",
                               next.index, head_.index));
  }
  if (next.link != link_after(head_.link, next.index, content)) {
    return refused(
        fmt::format("plan {} of the run does not follow from those that this client "
                    "has seen",
                    next.index));
  }
  if (verify_(signed_text(run_, next.index, next.link), next.signature)) return {};
  return refused(
      fmt::format("plan {} of the run is not signed by the server of the roster", next.index));
}

void HeadBook::take_next(const SignedHead& next, const Digest& content) {
  head_ = next;
  add(next.index, {.link = next.link, .content = content, .signature = next.signature});
  settle();
}

void HeadBook::recall(const SignedHead& head, const Digest& content) {
  if (head.index <= head_.index) return;
  head_ = head;
  add(head.index, {.link = head.link, .content = content, .signature = head.signature});
}

std::string HeadBook::save() const {
  ByteWriter out;
  out.number(head_.index);
  out.number<std::uint64_t>(recent_.size());
  for (const auto& [index, entry] : recent_) {
    out.number(index);
    out.numbers(std::span<const std::uint8_t>(entry.link));
    out.numbers(std::span<const std::uint8_t>(entry.content));
    out.flag(entry.signature.has_value());
    if (entry.signature) out.numbers(std::span<const std::uint8_t>(*entry.signature));
  }
  return out.take();
}

Status HeadBook::restore(ByteReader& in) {
  FEDVS_TRY(head_.index, in.number<std::uint64_t>());
  FEDVS_TRY(const auto count, in.number<std::uint64_t>());
  recent_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    FEDVS_TRY(const auto index, in.number<std::uint64_t>());
    Entry entry;
    FEDVS_TRY_STATUS(read_exactly(in, entry.link));
    FEDVS_TRY_STATUS(read_exactly(in, entry.content));
    FEDVS_TRY(const bool is_signed, in.flag());
    if (is_signed) FEDVS_TRY_STATUS(read_exactly(in, entry.signature.emplace()));
    recent_.insert_or_assign(index, std::move(entry));
  }
  const auto last = recent_.find(head_.index);
  const bool is_of_this_run = last != recent_.end() &&
                              (head_.index != 0 || last->second.link == first_link(run_)) &&
                              (head_.index == 0 || last->second.signature.has_value());
  if (!is_of_this_run) return Error{ErrorCode::kCorrupt, "notes of another run's plans"};
  head_.link = last->second.link;
  head_.signature = last->second.signature.value_or(Signature{});
  return in.finish();
}

// ---- what others say

void HeadBook::hear(int from, const SignedHead& said, bool counts) {
  const auto client = static_cast<std::size_t>(from);
  if (from == self_ || wrong_[client] >= kMostWrong) return;
  if (said.index <= head_.index) return compare(from, said, counts);
  auto& ahead = ahead_[client];
  ahead.insert_or_assign(said.index, Said{said, counts});
  if (ahead.size() > kAheadKept) ahead.erase(ahead.begin());
}

void HeadBook::settle() {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    auto& ahead = ahead_[static_cast<std::size_t>(n)];
    while (!ahead.empty() && ahead.begin()->first <= head_.index) {
      const Said said = ahead.begin()->second;
      ahead.erase(ahead.begin());
      compare(n, said.head, said.counts);
    }
  }
}

void HeadBook::compare(int from, const SignedHead& said, bool counts) {
  const auto own = recent_.find(said.index);
  if (own == recent_.end()) return;  // too old, or from where its notes have a gap
  auto& agreed = agreed_[static_cast<std::size_t>(from)];
  if (own->second.link == said.link) {
    if (counts) agreed = std::max(agreed.value_or(0), said.index);
    return;
  }
  if (said.index == 0 || !verify_(signed_text(run_, said.index, said.link), said.signature)) {
    return distrust(from);
  }
  if (!proof_) proof_ = proof_of(from, said);
}

void HeadBook::distrust(int from) {
  const int wrong = ++wrong_[static_cast<std::size_t>(from)];
  liars_.push_back(from);
  if (wrong == kMostWrong) agreed_[static_cast<std::size_t>(from)].reset();
}

// The last entry before a gap is signed: it was the head when the notes were made.
std::optional<Equivocation> HeadBook::proof_of(int from, const SignedHead& said) const {
  auto at = recent_.find(said.index);
  Equivocation found{.run = run_,
                     .other = said,
                     .own_link = at->second.link,
                     .contents = {},
                     .own = {},
                     .heard_from = from};
  std::uint64_t index = said.index;
  while (!at->second.signature) {
    ++at;
    FEDVS_CHECK(at != recent_.end() && at->first == index + 1, "contents end in a signed head");
    ++index;
    found.contents.push_back(at->second.content);
  }
  found.own = {.index = index, .link = at->second.link, .signature = *at->second.signature};
  return found;
}

int HeadBook::agreeing() const {
  const bool this_very_plan = agreement_.equivocation == OnEquivocation::kPrevent;
  const std::uint64_t age = this_very_plan ? 0 : static_cast<std::uint64_t>(agreement_.max_age);
  const auto agrees = [&](const auto& index) { return index && *index + age >= head_.index; };
  return 1 + static_cast<int>(std::ranges::count_if(agreed_, agrees));
}

// ---- what it says to others

HeadBook::Say HeadBook::after_plan(bool shares) {
  const bool every_plan = agreement_.equivocation == OnEquivocation::kPrevent && waits_;
  const auto often = static_cast<std::uint64_t>(std::max(1, agreement_.max_age / 2));
  const bool long_ago = !told_all_ || head_.index >= *told_all_ + often;
  const bool asked = std::exchange(asked_, false);
  if (!enough_agree()) return Say::kAsk;
  return every_plan || asked || (long_ago && !shares) ? Say::kTell : Say::kNothing;
}

void HeadBook::told_all(bool promptly) {
  told_all_ = head_.index;
  if (promptly) std::ranges::fill(told_, std::optional(head_.index));
}

bool HeadBook::must_answer(int from, std::uint64_t index) {
  asked_ = asked_ || index > head_.index;
  return std::exchange(told_[static_cast<std::size_t>(from)], head_.index) != head_.index;
}

}  // namespace fedvs::protocol
