// The chain of plans at the server: every plan is written down and signed before it is sent, and
// whoever missed some is told of them first. docs/design/equivocation.md
#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {
namespace {

constexpr int kPlansAhead = 256;  // sent to a client that is behind before it reports again

}  // namespace

SignedHead Server::signed_head(std::uint64_t index, const Digest& link) const {
  return {.index = index,
          .link = link,
          .signature = settings_.sign(signed_text(settings_.run, index, link))};
}

bool Server::sign_plan(Step& step) {
  if (settings_.heads == nullptr || !step.plan) return true;
  const auto not_written = [this](const Error& why) {
    post_.unwritten = true;
    fail(why.code, why.message);
    return false;
  };
  const std::uint64_t index = settings_.heads->last() + 1;
  Digest link = first_link(settings_.run);
  if (index > 1) {
    const auto last = settings_.heads->read(index - 1);
    if (!last) return not_written(last.error());
    link = last->link;
  }
  const Digest content = content_of(step, facts());
  link = link_after(link, index, content);
  if (const auto kept = settings_.heads->append({content, link}, step); !kept) {
    return not_written(kept.error());
  }
  step.head = signed_head(index, link);
  return true;
}

// ---- who comes with which head

bool Server::is_newer_than_the_folder(const SignedHead& head) const {
  if (head.index == 0) return false;
  const auto own = settings_.heads->read(head.index);
  const bool differs = !own || own->link != head.link;
  return differs &&
         settings_.verify(signed_text(settings_.run, head.index, head.link), head.signature);
}

Status Server::check_head(const Hello& hello) const {
  if (settings_.heads == nullptr) return {};
  const auto refused = [&](std::string_view what) {
    return Error{ErrorCode::kRefused, fmt::format("{} {}", agreement_.name(hello.from), what)};
  };
  if (!hello.head) return refused("does not say which plans it has seen");
  const SignedHead& head = *hello.head;
  if (is_newer_than_the_folder(head)) {
    return refused(
        fmt::format("has plan {} with this server's signature, which has {} plans and "
                    "not this one: the server's folder is older than the run; restore "
                    "the newest",
                    head.index, settings_.heads->last()));
  }
  const auto own = settings_.heads->read(head.index);
  const bool same =
      head.index == 0 ? head.link == first_link(settings_.run) : own && own->link == head.link;
  if (same) return {};
  return refused(
      fmt::format("has seen other plans than those of this run, up to plan {}: restore "
                  "its folder of this run",
                  head.index));
}

// Its own signature proves that the folder is an old one: to go on would be to sign two chains.
Tasks Server::send_away(const Hello& hello, const Error& why) {
  if (hello.head && is_newer_than_the_folder(*hello.head)) return fail(why.code, why.message);
  return farewell(hello.from, Ending::kRefused, why.message);
}

// ---- who missed some

Result<MessagePtr> Server::next_missed(int client, std::uint64_t up_to, bool more) {
  auto& told = members_[client].told_plans;
  if (told >= up_to) return MessagePtr();
  FEDVS_TRY(const auto entry, settings_.heads->read(told + 1));
  FEDVS_TRY(auto step, settings_.heads->step(told + 1));
  ++told;
  step.head = signed_head(told, entry.link);
  return make_message(MissedPlan{.step = std::move(step), .more = more || told < up_to});
}

Error Server::forgotten_plans(int client, std::uint64_t told) const {
  return {ErrorCode::kRefused,
          fmt::format("{} has seen {} plans of {}, and those before plan {} are not kept any more "
                      "(protocol.max_catch_up): it cannot catch up, and its group's models stand "
                      "still until the run ends; start it with a newer copy of its folder state, "
                      "or for the next run",
                      agreement_.name(client), told, settings_.heads->last(),
                      settings_.heads->oldest_step())};
}

bool Server::misses_forgotten_plans(std::uint64_t told) const {
  return settings_.heads != nullptr && told < settings_.heads->last() &&
         told + 1 < settings_.heads->oldest_step();
}

bool Server::untold_plans(int client) const {
  return settings_.heads != nullptr && members_[client].told_plans < settings_.heads->last();
}

Status Server::tell_missed(int client, Tasks& tasks) {
  if (settings_.heads == nullptr) return {};
  const std::uint64_t last = settings_.heads->last();
  for (int i = 0; i < kPlansAhead; ++i) {
    FEDVS_TRY(auto missed, next_missed(client, last, /*more=*/false));
    if (!missed) return {};
    const std::size_t rows = std::get<MissedPlan>(*missed).step.plan->rows.size();
    tasks.push_back(send_now(
        outgoing(client, Lane::kControl, 4 * rows + 32 * parties(agreement_), std::move(missed))));
  }
  return {};
}

Status Server::tell_all_before(int client, std::uint64_t index, Effects& effects) {
  while (index > 1) {
    FEDVS_TRY(auto missed, next_missed(client, index - 1, /*more=*/true));
    if (!missed) return {};
    effects.sends.push_back(outgoing(client, Lane::kControl, 0, std::move(missed)));
  }
  return {};
}

// ---- who waits for the others' word

void Server::note_agreeing(const Report& report) {
  members_[report.from].plan.agreeing = report.agreeing;
  if (!report.agreeing || std::exchange(open_.said_heads, true)) return;
  observer_.on_note(fmt::format(
      "round {}: {} is waiting for heads: {} of {} clients say that they "
      "were shown the same plans",
      course_.round, agreement_.name(report.from), *report.agreeing, agreement_.shape.quorum()));
}

bool Server::below_quorum() const {
  int answering = 0;
  for (int n = 0; n < agreement_.shape.parties; ++n) answering += board_.answers(n) ? 1 : 0;
  return settings_.heads != nullptr && answering < agreement_.shape.quorum();
}

std::string Server::heads_missing() const {
  const auto agree = heads_waited_with();
  if (!agree) return {};
  return fmt::format("; waiting for heads: {} of {}", *agree, agreement_.shape.quorum());
}

std::optional<int> Server::heads_waited_with() const {
  std::optional<int> least;
  for (const Member& member : members_) {
    const auto& agree = member.plan.agreeing;
    if (agree) least = std::min(least.value_or(*agree), *agree);
  }
  return least;
}

}  // namespace fedvs::protocol
