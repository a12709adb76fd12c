#include "fedvs/protocol/client.h"

#include <algorithm>
#include <utility>

#include "fedvs/base/log.h"
#include "fedvs/protocol/message_form.h"
#include "fedvs/protocol/sender.h"

namespace fedvs::protocol {
namespace {

// Shares of steps further ahead of ours than this come from nobody who is honest.
constexpr StepNumber kStepsAhead = 64;
constexpr std::size_t kMostOfOldLives = 16;  // versions of a sender, beside those of its life now
constexpr std::size_t kOlderReported = 32;   // versions per sender: more than plans can name

constexpr std::size_t kVersionsHeld = 64;  // of a sender: more than plans can name

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
      incarnation_(Incarnation::draw(secrets, number)),
      own_(number, agreement, code, secrets, std::move(model)),
      seeds_(agreement, number, options_.run),
      mask_(options_.mask),
      shelf_(agreement.shape.parties),
      guard_(agreement),
      bound_groups_(options_.groups),
      rows_(number, agreement, code, secrets, std::move(rows), options_),
      postponed_(options_.apart),
      dealings_(agreement.shape.parties) {
  guard_.bind(bound_groups_);
  if (agreement.masked() && mask_ == nullptr) {
    seeded_masks_.emplace(code, *agreement.family);
    mask_ = &own_mask_.emplace(*seeded_masks_, seeds_, number);
  }
  if (options_.verify) heads_.emplace(agreement, number, options_.run, options_.verify);
}

Tasks Client::one(Task task) {
  Tasks tasks;
  tasks.push_back(std::move(task));
  return tasks;
}

Tasks Client::receive(const MessagePtr& message) {
  if (doing::has_ended(state_)) return {};
  if (const auto form = check_form(agreement_, work_.arithmetic(), *message); !form) {
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
  held.data_complete = rows_.held().complete() && seeds_.complete() && !sitting_out_.now();
  held.saved = own_.saved();
  return held;
}

// A step and a life per party: about eight bytes as they are encoded.
std::size_t Client::holdings_bytes() const {
  return 8 * static_cast<std::size_t>(agreement_.shape.parties);
}

Task Client::report() const {
  Report report{number_, holdings()};
  const bool waits = heads_ && plan_ && !uploaded_ && !heads_->enough_agree();
  if (waits) report.agreeing = heads_->agreeing();
  if (const auto& held = rows_.held(); !held.complete()) {
    report.holdings.rows_held.assign(held.counts().begin(), held.counts().end());
  }
  if (options_.apart) {
    shelf_.for_each([&](int sender, const Version& version, const SharePtr&) {
      const HeldVersion held{version.step, version.incarnation.tag()};
      const bool room =
          report.holdings.older.size() < kOlderReported * report.holdings.newest.size();
      if (held != shelf_.newest(sender) && room) report.holdings.older.push_back({sender, held});
    });
  }
  return send_now(
      outgoing(kServer, Channel::kControl, holdings_bytes(), make_message(std::move(report))));
}

Task Client::refuse(std::string reason, std::uint64_t revision) {
  log::warning("{} refuses: {}", agreement_.name(number_), reason);
  refusals_.push_back(reason);
  const std::size_t bytes = reason.size();
  return send_now(outgoing(kServer, Channel::kControl, bytes,
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
  return one(send_now(outgoing(kServer, Channel::kControl, reason.size(),
                               make_message(Complaint{number_, about, reason}))));
}

// ---- before training

bool Client::setup_complete() const {
  if (!rows_.held().complete() || !seeds_.complete()) return false;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (!shelf_.newest(n)) return false;
  }
  return true;
}

// A chunk counts once, and nothing is evaluated before the last one is there: a sum over the rows
// of some clients only would tell them apart.
Tasks Client::on(const DataShare& share) {
  if (work_.is_real() && rows_.coded().keeps_shares() && !share.values) {
    return complain(share.from, "rows without values");
  }
  if (share.sharing != welcome_.sharings[static_cast<std::size_t>(share.from)]) {
    if (const std::size_t times = dealings_.stale_rows(share.from); times != 0) {
      log::warning("dropped rows of {} of another sharing than its present one, {} so far",
                   agreement_.name(share.from), times);
    }
    return {};
  }
  if (rows_.held().holds(share.from, {share.part, share.first_row})) return {};
  rows_.take(share);
  Tasks tasks;
  if (options_.apart) rows_.fetch_more(share.from, tasks);
  if (training() ? rows_.held().complete() : setup_complete()) tasks.push_back(report());
  append(tasks, upload_if_ready());
  return tasks;
}

// ---- shares of models, seeds of masks

Tasks Client::take(const ModelShare& share) {
  const bool of_now =
      share.version.incarnation == welcome_.clients[static_cast<std::size_t>(share.from)];
  // It was on its way when its sender started anew, or is one that plans still name.
  if (!of_now && (!models_requested_ || shelf_.count(share.from) >= kMostOfOldLives)) return {};
  if (share.chain != own_.local().chain(share.version.step)) {
    return complain(share.from, fmt::format("its model of step {} has seen other gradients",
                                            share.version.step));
  }
  if (options_.apart && shelf_.count(share.from) >= kVersionsHeld) {
    return complain(share.from, fmt::format("more than {} models at once", kVersionsHeld));
  }
  if (!shelf_.add(share.from, share.version, share.values)) {
    if (models_requested_) return {};  // it came by itself meanwhile; the first counts
    return complain(share.from, fmt::format("it shared step {} twice", share.version.step));
  }
  Tasks tasks;
  if (training() ? is_worth_a_report(share.from) : setup_complete()) tasks.push_back(report());
  append(tasks, upload_if_ready());
  return tasks;
}

// During warm-up every share is reported: the server sorts the clients by how late theirs come.
// After it a group's last share is, or, where the plan waits for all groups, the last that it
// names.
bool Client::is_worth_a_report(int sender) {
  if (!groups_ || !plan_) return true;
  const bool plan_waits = agreement_.late_models == LateModels::kWait && !uploaded_;
  return plan_waits ? holds_versions(*plan_) : completes_group(sender);
}

// Whether the share that just came was the last of its group's for that step.
bool Client::completes_group(int sender) const {
  const StepNumber step = shelf_.newest(sender)->step;
  const auto& group = (*groups_)[group_of_[static_cast<std::size_t>(sender)]];
  return std::ranges::all_of(group, [&](int n) {
    const bool released = !released_.empty() && released_[static_cast<std::size_t>(n)];
    const auto newest = shelf_.newest(n);
    return released || (newest && newest->step == step);  // each of its own sender's life
  });
}

// A partition of the clients: the guard has accepted it.
void Client::note_groups(std::shared_ptr<const Groups> groups) {
  groups_ = std::move(groups);
  group_of_.resize(static_cast<std::size_t>(agreement_.shape.parties));
  for (std::size_t g = 0; g < groups_->size(); ++g) {
    for (int n : (*groups_)[g]) group_of_[static_cast<std::size_t>(n)] = g;
  }
}

// One that comes from nobody who may know it, or that its maker did not tell of, is dropped.
Tasks Client::on(const SeedShare& share) {
  const bool lacked = !seeds_.complete();
  if (const auto taken = seeds_.take(share); !taken) {
    return complain(share.from, taken.error().message);
  }
  Tasks tasks;
  if (training() ? lacked && seeds_.complete() : setup_complete()) tasks.push_back(report());
  append(tasks, upload_if_ready());
  return tasks;
}

// Once to every life of who asks: all that both may know.
Tasks Client::on(const SeedRequest& request) {
  const auto& life = welcome_.clients[static_cast<std::size_t>(request.from)];
  if (request.from == number_ || !dealings_.first_seeds_for(request.from, life)) return {};
  std::vector<int> makers;
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (seeds_.makes_some(n) && seeds_.holds_list(n)) makers.push_back(n);
  }
  Tasks tasks;
  send_seeds(request.from, makers, tasks);
  return tasks;
}

void Client::send_seeds(int to, std::span<const int> makers, Tasks& tasks) const {
  for (const int maker : makers) {
    SeedShare share = seeds_.share(maker, to);
    const std::size_t bytes =
        share.commitments.size() * sizeof(Digest) + share.seeds.size() * sizeof(SeedEntry);
    tasks.push_back(
        send_now(outgoing(to, Channel::kControl, bytes, make_message(std::move(share)))));
  }
}

void Client::ask_for_seeds(Tasks& tasks) const {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (n == number_) continue;
    tasks.push_back(
        send_now(outgoing(n, Channel::kControl, 8, make_message(SeedRequest{number_}))));
  }
}

Tasks Client::on(const ReportRequest& request) {
  Tasks tasks = one(report());
  if (request.fetch_again) {
    rows_.fetch_again(tasks);
    if (!seeds_.complete()) ask_for_seeds(tasks);
  }
  return tasks;
}

}  // namespace fedvs::protocol
