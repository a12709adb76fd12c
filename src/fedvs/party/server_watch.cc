#include "fedvs/party/server_watch.h"

#include <algorithm>

#include "fedvs/base/local_time.h"
#include "fedvs/base/log.h"

namespace fedvs::party {
namespace {

constexpr std::size_t kRoundsKept = 100, kEventsKept = 20, kRevisionsKept = 8;

}  // namespace

ServerWatch::ServerWatch(std::vector<std::string> names, protocol::Observer& to)
    : to_(to), answered_(names.size()) {
  for (auto& name : names) {
    ClientStatus client;
    client.name = std::move(name);
    client.late_seconds = -1;
    status_.clients.push_back(std::move(client));
  }
}

void ServerWatch::on_round(const protocol::RoundRecord& record) {
  to_.on_round(record);
  const std::lock_guard lock(mutex_);
  status_.progress.round = record.plan->round + 1;
  status_.progress.epoch = record.plan->epoch + 1;
  status_.progress.loss = record.loss;
  status_.progress.revisions += static_cast<std::uint64_t>(record.abandoned);
  for (std::size_t n = 0; n < status_.clients.size(); ++n) {
    auto& last = answered_[n];
    last.push_back(std::ranges::find(record.responders, static_cast<int>(n)) !=
                   record.responders.end());
    if (last.size() > kRoundsKept) last.pop_front();
    auto& client = status_.clients[n];
    client.missed = static_cast<std::uint64_t>(std::ranges::count(last, false));
    const auto& version = record.plan->versions[n];
    if (version) client.model_age = record.plan->round - version->step;
  }
}

void ServerWatch::on_evaluation(const protocol::EvaluationRecord& record) {
  to_.on_evaluation(record);
  if (record.part != data::Part::kTest) return;
  const std::lock_guard lock(mutex_);
  status_.progress.accuracy = record.metrics.accuracy;
}

void ServerWatch::on_note(const std::string& note) {
  log::info("{}", note);
  pass_on(note);
}

void ServerWatch::on_warning(const std::string& note) {
  log::warning("{}", note);
  pass_on(note);
}

void ServerWatch::pass_on(const std::string& note) {
  to_.on_note(note);
  const std::lock_guard lock(mutex_);
  status_.events.push_back(clock_time() + " " + note);
  if (status_.events.size() > kEventsKept) status_.events.erase(status_.events.begin());
}

void ServerWatch::uploaded(int client, std::uint64_t revision, double now) {
  const std::lock_guard lock(mutex_);
  const auto first = first_upload_.try_emplace(revision, now).first->second;
  if (first_upload_.size() > kRevisionsKept) first_upload_.erase(first_upload_.begin());
  status_.clients[static_cast<std::size_t>(client)].late_seconds = now - first;
}

RunStatus ServerWatch::snapshot() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

}  // namespace fedvs::party
