#include "tests/adversary/puppets.h"

#include <algorithm>

#include "fedvs/protocol/upload_box.h"
#include "fedvs/wire/codec.h"

namespace fedvs::testing {

using namespace protocol;  // NOLINT: a test's

Puppets::Puppets(Stage& stage) : stage_(stage), hellos_(static_cast<std::size_t>(parties())) {
  server_.bytes.fill(77);
}

void Puppets::say(int to, const Message& message) {
  letters_.emplace_back(to, wire::encode(message));
}

void Puppets::say_to_all(const Message& message) {
  for (int n = 0; n < parties(); ++n) say(n, message);
}

void Puppets::cut_connections() {
  letters_.clear();
  for (int n = 0; n < parties(); ++n) run(n, stage_.client(n).come_back());
}

void Puppets::settle() {
  while (!letters_.empty()) {
    const auto [to, bytes] = std::move(letters_.front());
    letters_.pop_front();
    run(to, stage_.client(to).receive(wire::decode(agreement(), bytes).value()));
  }
}

void Puppets::run(int client, Tasks tasks) {
  auto& party = stage_.client(client);
  for (auto& task : tasks) {
    Effects effects = task.run();
    party.compute_models();
    if (auto instead = party.take_withdrawal()) effects = std::move(*instead);
    for (const auto& outgoing : effects.sends) {
      const auto message = outgoing.wanted() ? outgoing.make() : nullptr;
      if (!message) continue;
      party.compute_uploads();
      if (const auto* share = std::get_if<ModelShare>(message.get())) {
        newest_shared_ = std::max(newest_shared_, share->version.step);
      }
      if (outgoing.to == kServer) {
        hear(wire::decode(agreement(), wire::encode(*message)).value());
      } else {
        say(outgoing.to, *message);
      }
    }
    run(client, std::move(effects.tasks));
  }
}

void Puppets::hear(const MessagePtr& message) {
  if (const auto* hello = std::get_if<Hello>(message.get())) {
    hellos_[static_cast<std::size_t>(hello->from)] = *hello;
    revision_ = std::max(revision_, hello->next_revision);
    round_ = std::max(round_, hello->step);
  }
  if (std::holds_alternative<Upload>(*message)) uploads_.push_back(message);
  if (const auto* refusal = std::get_if<Refusal>(message.get())) {
    refusals_.push_back(refusal->reason);
  }
}

bool Puppets::all_said_hello() const {
  return std::ranges::all_of(hellos_, [](const auto& hello) { return hello.has_value(); });
}

Welcome Puppets::welcome() const {
  Welcome welcome{
      .server = server_, .clients = {}, .round = round_, .training = true, .uploaded_below = {}};
  for (const auto& hello : hellos_) {
    welcome.clients.push_back(hello->incarnation);
    welcome.uploaded_below.push_back(0);
    welcome.sharings.push_back(hello->sharing);
    welcome.seeds.push_back(hello->seeds);
  }
  return welcome;
}

Plan Puppets::plan(std::uint64_t round, int epoch, std::vector<std::size_t> rows) {
  Plan plan{.round = round,
            .revision = revision_++,
            .epoch = epoch,
            .rows = std::move(rows),
            .versions = {}};
  for (const auto& hello : hellos_) plan.versions.push_back(Version{round, hello->incarnation});
  return plan;
}

Step Puppets::step() const {
  const std::vector<bool> none(hellos_.size(), false);
  return {.gradient = {},
          .share = std::vector<bool>(hellos_.size(), true),
          .plan = {},
          .groups = {},
          .frozen = none,
          .released = none};
}

std::optional<std::vector<std::int64_t>> Puppets::open(const Plan& plan) const {
  const auto code = coding::LagrangeCode::create(agreement().ring, agreement().shape).value();
  UploadBox box(agreement(), code);
  box.expect(std::make_shared<const Plan>(plan));
  for (const auto& upload : uploads_) {
    if (box.count() < agreement().uploads_needed()) (void)box.add(upload);
  }
  if (box.count() < agreement().uploads_needed()) return std::nullopt;
  box.close();
  return box.open().value().sums;
}

}  // namespace fedvs::testing
