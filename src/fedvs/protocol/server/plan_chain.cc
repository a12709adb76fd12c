#include "fedvs/protocol/server/plan_chain.h"

#include <fmt/format.h>

namespace fedvs::protocol {
namespace {

constexpr int kPlansAhead = 256;  // sent to a client that is behind before it reports again

}  // namespace

SignedHead PlanChain::signed_head(std::uint64_t index, const Digest& link) const {
  return {.index = index,
          .link = link,
          .signature = settings_.sign(signed_text(settings_.run, index, link))};
}

Status PlanChain::sign(Step& step, const RunFacts& facts) const {
  if (settings_.heads == nullptr || !step.plan) return {};
  const std::uint64_t index = settings_.heads->last() + 1;
  Digest link = first_link(settings_.run);
  if (index > 1) {
    FEDVS_TRY(const auto last, settings_.heads->read(index - 1));
    link = last.link;
  }
  const Digest content = content_of(step, facts);
  link = link_after(link, index, content);
  FEDVS_TRY_STATUS(settings_.heads->append({content, link}, step));
  step.head = signed_head(index, link);
  return {};
}

// ---- who comes with which head

bool PlanChain::is_newer_than_the_folder(const Hello& hello) const {
  return hello.head && is_newer_than_the_folder(*hello.head);
}

bool PlanChain::is_newer_than_the_folder(const SignedHead& head) const {
  if (settings_.heads == nullptr || head.index == 0) return false;
  const auto own = settings_.heads->read(head.index);
  const bool differs = !own || own->link != head.link;
  return differs &&
         settings_.verify(signed_text(settings_.run, head.index, head.link), head.signature);
}

Status PlanChain::check(const Hello& hello) const {
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

// ---- who missed some

bool PlanChain::has_untold(int client) const {
  return settings_.heads != nullptr && members_[client].told_plans < settings_.heads->last();
}

Status PlanChain::check_kept(int client, std::uint64_t told) const {
  if (settings_.heads == nullptr || told >= settings_.heads->last()) return {};
  const std::uint64_t oldest = settings_.heads->oldest_step();
  if (told + 1 >= oldest) return {};
  return Error{
      ErrorCode::kRefused,
      fmt::format("{} has seen {} plans of {}, and those before plan {} are not kept any more "
                  "(protocol.max_catch_up): it cannot catch up, and its group's models stand "
                  "still until the run ends; start it with a newer copy of its folder state, "
                  "or for the next run",
                  agreement_.name(client), told, settings_.heads->last(), oldest)};
}

Result<MessagePtr> PlanChain::next_missed(int client, std::uint64_t up_to, bool more) {
  auto& told = members_[client].told_plans;
  if (told >= up_to) return MessagePtr();
  FEDVS_TRY(const auto entry, settings_.heads->read(told + 1));
  FEDVS_TRY(auto step, settings_.heads->step(told + 1));
  ++told;
  step.head = signed_head(told, entry.link);
  return make_message(MissedPlan{.step = std::move(step), .more = more || told < up_to});
}

Status PlanChain::tell_some(int client, Tasks& tasks) {
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

Status PlanChain::tell_all_before(int client, std::uint64_t index, Effects& effects) {
  while (index > 1) {
    FEDVS_TRY(auto missed, next_missed(client, index - 1, /*more=*/true));
    if (!missed) return {};
    effects.sends.push_back(outgoing(client, Lane::kControl, 0, std::move(missed)));
  }
  return {};
}

}  // namespace fedvs::protocol
