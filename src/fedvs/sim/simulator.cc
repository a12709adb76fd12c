#include "fedvs/sim/simulator.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "fedvs/base/thread_pool.h"

namespace fedvs::sim {

using protocol::Effects;
using protocol::kServer;
using protocol::Lane;
using protocol::Outgoing;

// Lanes are in the order of their urgency (party/outgoing.h).
static constexpr int kLanes = 1 + static_cast<int>(Lane::kBulk);

Simulator::Simulator(const SimJob& job, const Delays& delays, const Speeds& speeds, Parties parties)
    : job_(job),
      delays_(delays),
      speeds_(speeds),
      server_(parties.server),
      clients_(parties.clients),
      works_(parties.works),
      batches_(parties.batches),
      measured_(job.compute == Compute::kMeasured),
      relayed_(job.topology == Topology::kRelay),
      links_(static_cast<int>(clients_.size()), job.bandwidth_mbps, relayed_ ? kLanes : 1),
      machines_(clients_.size() + 1),
      traffic_(clients_.size() + 1) {}

Simulator::~Simulator() { ThreadPool::global().wait(); }

void Simulator::start() {
  for (auto& client : clients_) submit(client->number(), client->start());
}

void Simulator::run(std::uint64_t events, const std::function<bool()>& stop) {
  while (!events_.empty() && events_.processed() < events && !server_.done() && server_.status() &&
         status_) {
    events_.run_next();
    watch_deadline();
    if (stop && stop()) break;
  }
  if (numbers_ == Numbers::kComputed) compute();
}

void Simulator::set_numbers(Numbers numbers) {
  numbers_ = numbers;
  for (const auto& work : works_) work->set_numbers(numbers);
}

// Before the first plan goes out: time and traffic count from there.
void Simulator::notice_training() {
  if (training_from_ >= 0 || !server_.training_started()) return;
  training_from_ = events_.now();
  for (auto& traffic : traffic_) traffic = {};
}

void Simulator::watch_deadline() {
  const double deadline = server_.next_deadline();
  if (deadline == watched_deadline_ || !std::isfinite(deadline)) return;
  watched_deadline_ = deadline;
  events_.at(std::max(deadline, events_.now()), kServer, [this] {
    if (events_.now() >= server_.next_deadline()) submit(kServer, server_.tick(events_.now()));
  });
}

// ---- one task at a time, in the order of drive/task_queue.h

void Simulator::submit(int number, protocol::Tasks tasks) {
  auto& p = party(number);
  p.queue.add(std::move(tasks));
  if (!p.busy) start_next(number);
}

void Simulator::start_next(int number) {
  auto& p = party(number);
  while (!p.dead && !p.busy) {
    auto next = p.queue.next();
    if (!next) return;
    protocol::Task task = std::move(*next);
    p.busy = true;
    double seconds = speeds_.seconds(number, task.work);
    if (measured_) {
      auto effects = run_measured(number, task, seconds);
      events_.at(events_.now() + seconds, number,
                 [this, number, effects = std::move(effects)]() mutable {
                   finish(number, std::move(effects));
                   start_next(number);
                 });
    } else if (seconds == 0) {
      finish(number, execute(number, task));
    } else {
      events_.at(events_.now() + seconds, number, [this, number, task = std::move(task)] {
        finish(number, execute(number, task));
        start_next(number);
      });
    }
  }
}

Effects Simulator::execute(int number, const protocol::Task& task) {
  if (number == kServer) server_.clock(events_.now());
  if (task.work.kind == protocol::Work::Kind::kOpen) compute();
  if (!status_) return {};  // nothing is opened with a model that does not fit
  Effects effects = task.run();
  if (number != kServer) works_[static_cast<std::size_t>(number)]->begin_models();
  return effects;
}

// An upload that comes after its round was opened is only checked, at the next opening: it is
// computed beside whatever comes next.
void Simulator::compute_later(int number) {
  auto& work = *works_[static_cast<std::size_t>(number)];
  const auto uploads = work.uploads();
  const auto loaded = [this](const auto& upload) { return batches_->loaded(upload); };
  if (batches_ == nullptr || uploads.empty() || !std::ranges::all_of(uploads, loaded)) return;
  for (auto& upload : work.take_uploads()) {
    ThreadPool::global().later([upload = std::move(upload)]() mutable { upload.compute(); });
  }
}

void Simulator::compute() {
  if (numbers_ != Numbers::kComputed) {
    for (const auto& work : works_) work->forget_uploads();
    return;
  }
  auto& pool = ThreadPool::global();
  pool.wait();
  const auto all = [&](void (protocol::DeferredWork::*what)()) {
    pool.parallel_for(works_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t n = begin; n < end; ++n) (works_[n].get()->*what)();
    });
  };
  all(&protocol::DeferredWork::compute_models);
  for (const auto& client : clients_) {
    const Status& fit = client->models_fit();
    if (status_ && !fit) status_ = Error{ErrorCode::kBadJob, fit.error().message};
  }
  if (!status_) return;
  if (batches_ != nullptr) batches_->load(works_);
  all(&protocol::DeferredWork::compute_uploads);
}

// Runs the task now, the upload included, and takes this machine's time for it. Records made by it
// carry the time of its start.
Effects Simulator::run_measured(int number, protocol::Task& task, double& seconds) {
  const auto before = std::chrono::steady_clock::now();
  Effects effects = execute(number, task);
  for (auto& send : effects.sends) {
    if (send.lane == Lane::kUpload) send.draft = protocol::draft_of(send.make());
  }
  compute();
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  return effects;
}

void Simulator::finish(int number, Effects effects) {
  party(number).busy = false;
  if (party(number).dead) return;
  for (auto& send : effects.sends) dispatch(number, std::move(send));
  submit(number, std::move(effects.tasks));
}

// ---- delays, links, delivery: an evaluation has none, and is not counted

double Simulator::delay(int from, const Outgoing& message) const {
  if (message.evaluation || training_from_ < 0) return 0;
  if (message.lane == Lane::kUpload) return delays_.upload(from, message.round);
  return message.lane == Lane::kShare ? delays_.share(from, message.round) : 0;
}

void Simulator::dispatch(int from, Outgoing message) {
  notice_training();
  if (message.to == from) return deliver(from, message.make());
  const double wait = delay(from, message);
  if (wait == 0) return transmit(from, std::move(message));
  events_.at(events_.now() + wait, from,
             [this, from, m = std::move(message)]() mutable { transmit(from, std::move(m)); });
}

// Through the server everything shares its links: there, as over the network, reports do not queue
// behind relayed shares. From client to client there is one queue, as the paper has it.
int Simulator::lane(const Outgoing& message) const {
  return relayed_ ? static_cast<int>(message.lane) : 0;
}

void Simulator::transmit(int from, Outgoing message) {
  if (party(from).dead || (!message.wanted())) return;
  if (message.evaluation) {
    const double at = links_.send_free(from, message.to, events_.now(), lane(message));
    return events_.at(at, from, [this, from, m = std::move(message)] { arrive(from, m); });
  }
  traffic_[index(from)].sent += message.bytes;
  const bool relayed = relayed_ && from != kServer && message.to != kServer;
  const double first = links_.send(from, relayed ? kServer : message.to, message.bytes,
                                   events_.now(), lane(message));
  if (!relayed)
    return events_.at(first, from, [this, from, m = std::move(message)] { arrive(from, m); });
  events_.at(first, from, [this, from, m = std::move(message)]() mutable {
    const double second = links_.send(kServer, m.to, m.bytes, events_.now(), lane(m));
    events_.at(second, kServer, [this, from, m = std::move(m)] { arrive(from, m); });
  });
}

void Simulator::arrive(int from, const Outgoing& message) {
  if (party(message.to).dead) return;
  if (!message.evaluation) traffic_[index(message.to)].received += message.bytes;
  auto made = message.make();
  if (made && tamper_) {
    compute();
    made = tamper_(from, message.to, std::move(made));
  }
  if (message.lane == Lane::kUpload) compute_later(from);
  deliver(message.to, made);
}

void Simulator::deliver(int to, const protocol::MessagePtr& message) {
  if (!message || party(to).dead) return;
  if (to == kServer) {
    submit(kServer, server_.receive(events_.now(), message));
  } else {
    submit(to, clients_[static_cast<std::size_t>(to)]->receive(message));
  }
}

void Simulator::kill(int client, double at) {
  events_.at(at, client, [this, client] {
    party(client).dead = true;
    party(client).queue.forget_all();
  });
}

}  // namespace fedvs::sim
