#include "fedvs/experiments/measuring/training.h"

#include "fedvs/experiments/measuring/stopwatch.h"

namespace fedvs::measuring {
namespace {

constexpr int kEndless = 1'000'000;  // epochs

}  // namespace

Result<std::unique_ptr<Training>> Training::start(Job job, const TableShape& shape) {
  job.train.epochs = job.train.evaluate_every = kEndless;
  job.train.lr_decay = 1;  // or the rates vanish
  job.train.patience = 0;
  auto prepared = random_table(shape, job.data.clients);
  const Stopwatch watch;
  std::unique_ptr<Training> training(new Training);
  FEDVS_TRY(training->world_, sim::World::create(job, std::move(prepared), training->counter_));
  FEDVS_TRY_STATUS(
      training->run_until([&] { return training->world_->server().training_started(); }));
  training->setup_seconds_ = watch.seconds();
  return training;
}

std::uint64_t Training::rounds_per_epoch() const {
  const std::size_t coded = agreement().coded_rows(data::Part::kTrain);
  return (coded + agreement().batch_rows() - 1) / agreement().batch_rows();
}

Status Training::run_until(const std::function<bool()>& stop) {
  world_->run(stop);
  const auto status = world_->status();
  if (status || status.error().code == ErrorCode::kStopped) return {};
  return status;
}

Result<Seconds> Training::run(std::uint64_t rounds) {
  const std::uint64_t last = counter_.rounds + rounds;
  const Stopwatch watch;
  FEDVS_TRY_STATUS(run_until([&] { return counter_.rounds >= last; }));
  return Seconds{watch.seconds(), watch.cpu_seconds()};
}

Result<double> Training::uploads_per_round(std::uint64_t rounds) {
  // A round ends with its R-th upload, so what is counted begins with the last ones of a round.
  if (const auto before = run(1); !before) return before.error();
  std::uint64_t uploads = 0;
  world_->simulator().set_tamper([&](int, int, protocol::MessagePtr message) {
    uploads += std::holds_alternative<protocol::Upload>(*message) ? 1 : 0;
    return message;
  });
  const auto seconds = run(rounds);
  world_->simulator().set_tamper({});
  if (!seconds) return seconds.error();
  return static_cast<double>(uploads) / static_cast<double>(rounds);
}

}  // namespace fedvs::measuring
