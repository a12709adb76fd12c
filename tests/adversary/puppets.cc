#include "tests/adversary/puppets.h"

#include <algorithm>

#include "fedvs/net/wire/codec.h"
#include "fedvs/protocol/server/upload_box.h"

namespace fedvs::testing {

using namespace protocol;  // NOLINT: a test's

// Its folder is nobody's concern here.
class Puppets::Strings final : drive::ClientJournal, drive::Outbox {
 public:
  Strings(Puppets& puppets, Client& client) : puppets_(puppets), driver_(client, *this, *this) {}
  void come_back() { driver_.come_back().value(); }
  void receive(const MessagePtr& message) {
    driver_.receive(message).value();
    while (driver_.has_background()) driver_.run_background().value();
  }

 private:
  Status note(const MessagePtr&) override { return {}; }
  void note_broken_off() override {}
  void send(int to, Lane, const MessagePtr& message) override {
    if (const auto* share = std::get_if<ModelShare>(message.get())) {
      puppets_.newest_shared_ = std::max(puppets_.newest_shared_, share->version.step);
    }
    if (to != kServer) return puppets_.say(to, *message);
    puppets_.hear(wire::decode(puppets_.agreement(), wire::encode(*message)).value());
  }

  Puppets& puppets_;
  drive::ClientDriver driver_;
};

Puppets::Puppets(Stage& stage)
    : stage_(stage),
      strings_(static_cast<std::size_t>(parties())),
      hellos_(static_cast<std::size_t>(parties())) {
  server_.bytes.fill(77);
}

Puppets::~Puppets() = default;

Puppets::Strings& Puppets::strings(int client) {
  auto& pulled = strings_[static_cast<std::size_t>(client)];
  if (!pulled) pulled = std::make_unique<Strings>(*this, stage_.client(client));
  return *pulled;
}

void Puppets::say(int to, const Message& message) {
  letters_.emplace_back(to, wire::encode(message));
}

void Puppets::say_to_all(const Message& message) {
  for (int n = 0; n < parties(); ++n) say(n, message);
}

void Puppets::cut_connections() {
  letters_.clear();
  for (int n = 0; n < parties(); ++n) strings(n).come_back();
}

void Puppets::settle() {
  while (!letters_.empty()) {
    const auto [to, bytes] = std::move(letters_.front());
    letters_.pop_front();
    strings(to).receive(wire::decode(agreement(), bytes).value());
  }
}

void Puppets::hear(const MessagePtr& message) {
  if (const auto* hello = std::get_if<Hello>(message.get())) {
    hellos_[static_cast<std::size_t>(hello->from)] = *hello;
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
  Welcome welcome{.server = server_, .clients = {}, .training = true};
  for (const auto& hello : hellos_) {
    welcome.clients.push_back(hello->incarnation);
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
