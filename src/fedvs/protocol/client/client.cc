#include "fedvs/protocol/client/client.h"

#include <utility>

#include "fedvs/base/log.h"
#include "fedvs/protocol/costs.h"
#include "fedvs/protocol/message_form.h"
#include "fedvs/protocol/sender.h"

namespace fedvs::protocol {
namespace {

// Shares of steps further ahead of ours than this come from nobody who is honest.
constexpr StepNumber kStepsAhead = 64;

bool from_server(const Message& message) {
  return std::holds_alternative<Step>(message) || std::holds_alternative<ReportRequest>(message) ||
         std::holds_alternative<MissedPlan>(message);
}

bool is_of_a_life(const Message& message) {
  return !std::holds_alternative<Welcome>(message) && !std::holds_alternative<Regather>(message) &&
         !std::holds_alternative<Farewell>(message);
}

}  // namespace

Client::Client(int number, const Agreement& agreement, const coding::LagrangeCode& code,
               LocalModel model, std::unique_ptr<CodedRows> rows, SecretSource& secrets,
               ClientOptions options)
    : number_(number),
      agreement_(agreement),
      secrets_(secrets),
      options_(std::move(options)),
      life_(number, secrets),
      work_(options_.work ? options_.work : std::make_shared<DeferredWork>()),
      own_(number, agreement, code, secrets, std::move(model)),
      shelf_(agreement.shape.parties),
      seeds_(number, agreement, code, options_),
      rows_(number, agreement, code, secrets, std::move(rows), options_),
      plans_(number, agreement, options_),
      postponed_(options_.apart),
      dealings_(agreement.shape.parties) {}

Tasks Client::one(Task task) {
  Tasks tasks;
  tasks.push_back(std::move(task));
  return tasks;
}

Tasks Client::receive(const MessagePtr& message) {
  if (doing::has_ended(state_)) return {};
  if (const auto form = check_form(agreement_, *message); !form) {
    const int from = sender_of(*message);
    if (from == kServer) return one(refuse(form.error().message));
    return complain(from, form.error().message);
  }
  if (doing::is_greeting(state_) && is_of_a_life(*message)) {
    // Somebody was welcomed sooner and has shared already; what the server said was to the life
    // before this one.
    if (!from_server(*message)) postponed_.keep_for_welcome(message);
    return {};
  }
  if (const auto* share = std::get_if<ModelShare>(message.get())) {
    Tasks tasks;
    if (share->head) hear(share->from, *share->head, /*counts=*/true, tasks);
    if (broken_off()) return tasks;
    if (share->version.step <= own_.step()) {
      append(tasks, take(*share));
      return tasks;
    }
    // A client apart may be far behind, having been away: it keeps the newest.
    if (!options_.apart && share->version.step > own_.step() + kStepsAhead) {
      return complain(share->from, fmt::format("its model of step {} while this client is at {}",
                                               share->version.step, own_.step()));
    }
    postponed_.keep_early(message);  // its gradient is still on the way to us
    return tasks;
  }
  return std::visit([this](const auto& m) { return on(m); }, *message);
}

Holdings Client::holdings() const {
  Holdings held;
  held.newest = shelf_.newest();
  held.data_complete = rows_.held().complete() && seeds_.book().complete();
  held.saved = own_.saved();
  return held;
}

Task Client::report() const {
  Report report{number_, holdings()};
  const auto* heads = plans_.heads();
  if (heads && plans_.open().waits() && !heads->enough_agree()) report.agreeing = heads->agreeing();
  if (const auto& held = rows_.held(); !held.complete()) {
    report.holdings.rows_held.assign(held.counts().begin(), held.counts().end());
  }
  if (options_.apart) {
    shelf_.for_each([&](int sender, const Version& version, const SharePtr&) {
      const HeldVersion held{version.step, version.incarnation.short_id()};
      const bool room =
          std::ssize(report.holdings.older) < Holdings::kOlder * agreement_.shape.parties;
      if (held != shelf_.newest(sender) && room) report.holdings.older.push_back({sender, held});
    });
  }
  return send_now(outgoing(kServer, Lane::kControl, holdings_bytes(agreement_),
                           make_message(std::move(report))));
}

Task Client::refuse(std::string reason, std::uint64_t revision) {
  log::warning("{} refuses: {}", agreement_.name(number_), reason);
  refusals_.push_back(reason);
  const std::size_t bytes = reason.size();
  return send_now(outgoing(kServer, Lane::kControl, bytes,
                           make_message(Refusal{number_, revision, std::move(reason)})));
}

std::optional<Effects> Client::take_withdrawal() {
  if (broken_off() || models_fit()) return std::nullopt;
  return break_off(models_fit().error().message).run();
}

Tasks Client::complain(int about, const std::string& reason) {
  if (about < 0 || about >= agreement_.shape.parties || about == number_) return {};
  if (!dealings_.complain(about)) return {};
  log::warning("dropped what {} sent: {}", agreement_.name(about), reason);
  return one(send_now(outgoing(kServer, Lane::kControl, reason.size(),
                               make_message(Complaint{number_, about, reason}))));
}

bool Client::setup_complete() const {
  if (!rows_.held().complete() || !seeds_.book().complete()) return false;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!shelf_.newest(n)) return false;
  }
  return true;
}

Tasks Client::on(const ReportRequest& request) {
  Tasks tasks = one(report());
  if (request.fetch_again) {
    rows_.fetch_again(tasks);
    if (!seeds_.book().complete()) seeds_.ask(tasks);
  }
  return tasks;
}

}  // namespace fedvs::protocol
