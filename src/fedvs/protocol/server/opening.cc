// A sum is opened, Eq. (6) and (7), and learned from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fedvs/protocol/groups.h"
#include "fedvs/protocol/segments.h"
#include "fedvs/protocol/server/server.h"

namespace fedvs::protocol {

Tasks Server::open_now() {
  phase_.enter(Phase::kOpening);
  waits_.deadline = kNever;
  Tasks tasks;
  tasks.push_back(open_task());
  return tasks;
}

Task Server::open_task() {
  return {.work = {.kind = Work::Kind::kOpen,
                   .evaluation = !open_.plan->training(),
                   .rows = open_.plan->rows.size()},
          .run = [this] { return Effects{.sends = {}, .tasks = open()}; }};
}

Tasks Server::open() {
  auto tasks = judge_late(waits_.now);
  if (!tasks) return fail(tasks.error().code, tasks.error().message);
  if (open_.box.count() < agreement_.uploads_needed()) {  // without those found out just now
    phase_.enter(Phase::kWaiting);
    waits_.deadline = waits_.now + waits_.span;
    return std::move(*tasks);
  }
  open_.box.close();
  const auto opened = learner_.open(open_.box);
  if (!opened) return doubt(waits_.now, opened.error());
  open_.doubt.reset();
  append(*tasks, after_opening(waits_.now, *opened));
  return std::move(*tasks);
}

Tasks Server::after_opening(double now, const UploadBox::Opened& opened) {
  open_.is_open = false;
  ++course_.openings;
  waits_.below.stop();
  if (!opened.wrong.empty()) {
    std::string names;
    for (int n : opened.wrong) names += agreement_.listed(n);
    observer_.on_note(
        fmt::format("round {}: wrong uploads corrected, of clients{} or of senders of "
                    "their shares",
                    course_.round, names));
  }
  Tasks tasks;
  for (int n : agreement_.correct_uploads ? std::vector<int>{} : opened.wrong) {
    append(tasks, found_wrong(now, n));
  }
  if (!phase_.status()) return tasks;
  append(tasks, open_.plan->training() ? after_round(now, opened) : after_chunk(now, opened));
  return tasks;
}

Tasks Server::after_round(double now, const UploadBox::Opened& opened) {
  learn(now, opened);
  if (!phase_.status()) return {};
  if (course_.stop_after_round) return stop();
  return course_.schedule.epoch_has_more() ? train_on(now) : next_after_epoch(now);
}

Tasks Server::after_chunk(double now, const UploadBox::Opened& opened) {
  policy_.opened(*open_.plan, waits_.pace.on_time());
  learner_.predict(*open_.plan, opened.sums);
  return course_.evaluation->has_more() ? next_chunk(now) : finish_evaluation(now);
}

void Server::learn(double now, const UploadBox::Opened& opened) {
  const double uploaded = !open_.holders.runs() ? now : open_.holders.since();  // by R
  waits_.pace.add(uploaded - open_.started - open_.vain_wait, uploaded - open_.able.since());
  policy_.opened(*open_.plan, waits_.pace.on_time());
  board_.forget_before(*open_.plan);
  open_.record.plan = open_.plan;
  open_.record.responders = open_.box.responders();
  open_.record.wrong = opened.wrong;
  open_.record.batch = course_.schedule.taken();  // the open plan's is the last that was taken
  open_.record.started = open_.started;
  open_.record.opened = now;
  note_learning();
  if (open_.suspicion.rounds > 0) --open_.suspicion.rounds;
  open_.suspicion.learned_round = open_.plan->round;
  if (settings_.archive != nullptr) open_.suspicion.central_before = learner_.central().save();
  const auto learned = learner_.learn(open_.plan, opened.sums);
  note_learned(learned);
  post_.gradient = learned.gradient;
  const auto samples = samples_of(agreement_, open_.plan->part, open_.plan->rows);
  open_.record.samples =
      samples.size() - static_cast<std::size_t>(std::ranges::count(samples, model::kPadding));
  observer_.on_round(open_.record);
  open_.record = {};
  ++course_.round;
  if (course_.round >= static_cast<std::uint64_t>(agreement_.warmup_rounds)) form_groups();
}

void Server::note_learned(const Learner::Learned& learned) {
  open_.record.loss = learned.loss;
  if (learned.clipped > 0 && !std::exchange(course_.said_clipped, true)) {
    observer_.on_note(fmt::format(
        "round {}: {} rows of the gradient were longer than train.gradient_clip = {} and cut to "
        "it; later ones are not reported",
        course_.round + 1, learned.clipped, agreement_.gradient_clip));
  }
  if (std::isfinite(learned.loss)) return;
  fail(ErrorCode::kBadJob,
       fmt::format("training diverged: the loss of round {} is no number any more; lower train.lr "
                   "or train.lr_client",
                   course_.round + 1));
}

}  // namespace fedvs::protocol
