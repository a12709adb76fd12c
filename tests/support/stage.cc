#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/stage_lives.h"

namespace fedvs::testing {

using namespace protocol;  // NOLINT: a test's

namespace {

Agreement agreement_of(const Job& job, const data::PreparedJob& prepared) {
  std::vector<int> features;
  for (const auto& client : prepared.clients) {
    features.push_back(static_cast<int>(client.features[0].cols));
  }
  return agree(job, features,
               {prepared.labels[0].size(), prepared.labels[1].size(), prepared.labels[2].size()},
               prepared.classes)
      .value();
}

}  // namespace

Stage::Stage(const Sets& sets, double wait_for_return)
    : job_(small_job(joined({"protocol.equivocation=detect"}, sets))),
      prepared_(prepared(job_)),
      agreement_(agreement_of(job_, prepared_)),
      code_(coding::LagrangeCode::create(agreement_.ring, agreement_.shape).value()),
      clients_(prepared_.clients.size()),
      waiting_(clients_.size()),
      frozen_(clients_.size(), false),
      cut_off_(clients_.size(), false),
      folders_(clients_.size()),
      rows_(clients_.size(), "rows"),
      sharings_(clients_.size()),
      groups_(clients_.size()),
      wait_for_return_(wait_for_return) {}

Stage::~Stage() = default;

Server& Stage::server() { return server_->server(); }

Client& Stage::client(int n) { return clients_[index(n)]->client(); }

void Stage::take_over() { server_.reset(); }

void Stage::finish_server() { server_->driver().save_last().value(); }

// One that could not save has died: nothing that it decided since was sent. One that could not
// write a gradient or a plan down says so by its status.
void Stage::check_server(const Status& told) {
  if (!told && server().status()) kill_server();
}

void Stage::start() {
  start_server();
  for (int n = 0; n < agreement_.shape.parties; ++n) start_client(n);
}

void Stage::come_back(int n) {
  if (server_) server().lost(now_, n);
  clients_[index(n)]->come_back();
}

void Stage::kill_client(int n, bool noticed) {
  if (server_ && noticed) server().lost(now_, n);
  clients_[index(n)].reset();
  waiting_[index(n)].clear();
  frozen_[index(n)] = cut_off_[index(n)] = false;
  std::erase_if(letters_, [n](const Letter& l) { return l.from == n || l.to == n; });
  std::erase_if(on_their_way_,
                [n](const auto& l) { return l.second.from == n || l.second.to == n; });
}

// Clients notice that the connection is gone, and come back to whoever answers next.
void Stage::kill_server() {
  server_.reset();
  letters_.clear();
  on_their_way_.clear();
}

void Stage::thaw_client(int n) {
  frozen_[index(n)] = false;
  if (!cut_off_[index(n)]) return;
  cut_off_[index(n)] = false;
  waiting_[index(n)].clear();
  come_back(n);
}

void Stage::send(int from, int to, MessagePtr message) {
  if (const auto* step = std::get_if<Step>(message.get()); step != nullptr && step->plan) {
    plans[step->plan->revision] = step->plan;
  }
  if (lose && lose(from, to, *message)) return;
  if (tamper) message = tamper(from, to, std::move(message));
  if (!message) return;
  ++sent;
  if (const double time = takes ? takes(from, to, *message) : 0; time > 0) {
    on_their_way_.emplace(now_ + time, Letter{from, to, std::move(message)});
    return;
  }
  letters_.push_back({from, to, std::move(message)});
}

void Stage::say(int from, int to, Message message) {
  letters_.push_back({from, to, make_message(std::move(message))});
}

void Stage::deliver(const Letter& letter) {
  if (letter.to == kServer) {
    if (server_) check_server(server_->driver().receive(letter.message));
    return;
  }
  if (!clients_[index(letter.to)]) return;
  if (frozen_[index(letter.to)]) {
    waiting_[index(letter.to)].push_back(letter.message);
    return;
  }
  clients_[index(letter.to)]->receive(letter.message);
  if (client(letter.to).farewell()) return;
  const auto* step = std::get_if<Step>(letter.message.get());
  if (step != nullptr && step->gradient && (step->gradient->plan().round + 1) % save_every == 0) {
    save_client(letter.to);
  }
}

void Stage::save_client(int n) {
  folder(n).save(client(n));
  for (const auto& [step, integers] : client(n).model().rounded()) {
    const auto [known, is_new] = rounded.try_emplace({n, step}, integers);
    EXPECT_EQ(known->second, integers)
        << "client " << n + 1 << " rounded step " << step << " twice";
  }
}

bool Stage::deliver_next() {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    auto& waiting = waiting_[index(n)];
    if (frozen_[index(n)] || waiting.empty()) continue;
    const auto message = waiting.front();
    waiting.pop_front();
    deliver({kServer, n, message});
    return true;
  }
  if (letters_.empty()) return false;
  now_ += 1e-4;
  const Letter letter = std::move(letters_.front());
  letters_.pop_front();
  deliver(letter);
  return true;
}

bool Stage::pass_time() {
  const double deadline =
      server_ ? server().next_deadline() : std::numeric_limits<double>::infinity();
  if (!on_their_way_.empty() && on_their_way_.begin()->first <= deadline) {
    const auto first = on_their_way_.extract(on_their_way_.begin());
    now_ = std::max(now_, first.key());
    deliver(first.mapped());
    return true;
  }
  if (!server_ || !std::isfinite(server().next_deadline())) return false;
  now_ = std::max(now_, server().next_deadline());
  check_server(server_->driver().tick());
  return true;
}

void Stage::run(const std::function<bool()>& stop) {
  for (int events = 0; events < 2'000'000; ++events) {
    if (!server_ || server().done() || !server().status() || (stop && stop())) return;
    if (!deliver_next() && !pass_time()) return;
  }
  FAIL() << "two million events and no end";
}

void Stage::report_finished(int n) {
  save_client(n);
  letters_.push_back({n, kServer, client(n).last_report()});
}

void Stage::settle() {
  while (deliver_next() || (server_ && server().done() && pass_time())) {
  }
}

std::string Stage::describe() {
  std::string text;
  for (const auto& note : recorder.notes) text += note + "\n";
  if (plans.empty()) return text;
  const Plan& plan = *plans.rbegin()->second;
  text += fmt::format("revision {} round {} part {} versions", plan.revision, plan.round,
                      static_cast<int>(plan.part));
  for (const auto& version : plan.versions) {
    text +=
        version ? fmt::format(" {}/{:x}", version->step, version->incarnation.short_id()) : " -";
  }
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    text += fmt::format("\nclient {}{}{}", n + 1, alive(n) ? "" : " dead",
                        server().board().dead(n) ? " (dead)" : "");
    if (!alive(n)) continue;
    const auto held = client(n).holdings();
    const auto models = client(n).held_models();
    text += fmt::format(" step {} answers {} behind {} lacks", client(n).model().step(),
                        held.data_complete, server().behind(n));
    for (std::size_t m = 0; m < plan.versions.size(); ++m) {
      const bool has = std::ranges::any_of(models, [&](const auto& message) {
        const auto& share = std::get<ModelShare>(*message);
        return share.from == static_cast<int>(m) && share.version == plan.versions[m];
      });
      if (plan.versions[m] && !has) text += fmt::format(" {}", m + 1);
    }
    text += " newest";
    for (const auto& version : held.newest) {
      text += version ? fmt::format(" {}/{:x}", version->step, version->short_id) : " -";
    }
    if (!client(n).seeds().complete()) text += " lacks seeds";
  }
  return text;
}

void Stage::run_until_round(std::uint64_t round) {
  run([&] { return server().rounds() >= round; });
}

}  // namespace fedvs::testing
