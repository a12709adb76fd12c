// fedvs bench: what this machine makes of the work of a round, and what that means for training.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "fedvs/base/thread_pool.h"
#include "fedvs/cli/commands.h"
#include "fedvs/experiments/measuring/coding_trials.h"
#include "fedvs/experiments/measuring/interleaved.h"
#include "fedvs/experiments/measuring/probe.h"
#include "fedvs/experiments/measuring/product_trial.h"
#include "fedvs/experiments/measuring/training.h"
#include "fedvs/field/kernel.h"
#include "fedvs/job/parse.h"
#include "fedvs/run/machine.h"
#include "fedvs/run/progress.h"

namespace fedvs::cli {
namespace {

using field::Kernel;
using nlohmann::json;

constexpr int kRepetitions = 5;
constexpr double kTurnSeconds = 0.05;
constexpr std::size_t kShareColumns = 1 << 18, kMaskColumns = 1 << 16;
constexpr coding::Shape kShape{.parties = 28, .blocks = 6, .colluding = 1};
constexpr std::size_t kFashionRows = 60'000, kFashionColumns = 784;

struct Rate {
  std::string key;
  double amount;  // of one call
  std::function<void()> call;
};

// Best of several turns, all rates in turn: key -> amount per second in thousands of millions.
json measure_rates(const std::vector<Rate>& rates) {
  std::vector<std::function<void()>> calls;
  for (const auto& rate : rates) calls.push_back(rate.call);
  const auto seconds = measuring::time_interleaved(calls, kRepetitions, kTurnSeconds);
  json result;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    result[rates[i].key] = rates[i].amount / seconds[i].min / 1e9;
  }
  return result;
}

void add_product(std::vector<Rate>& rates, const std::string& ring, Kernel kernel,
                 const std::optional<measuring::Probe>& probe) {
  constexpr long kSteps = 100'000;
  const auto trial = std::make_shared<measuring::ProductTrial>(field::Ring::create(ring).value(),
                                                               64, kFashionColumns, 64);
  rates.push_back({fmt::format("product.{}.{}.gmac_per_s", ring, field::name(kernel)),
                   trial->macs(), [trial, kernel] {
                     const field::KernelForTests on(kernel);
                     trial->run();
                   }});
  if (!probe) return;
  rates.push_back({fmt::format("probe.{}.{}.gmac_per_s", ring, field::name(kernel)),
                   probe->macs_per_step * kSteps, [run = probe->run] { run(kSteps); }});
}

json measure_products() {
  std::vector<Rate> rates;
  for (const Kernel kernel : field::available_kernels()) {
    add_product(rates, "rns4", kernel, measuring::rns4_probe(kernel));
    add_product(rates, "m31", kernel, measuring::m31_probe(kernel));
  }
  return measure_rates(rates);
}

json measure_coding() {
  std::vector<Rate> rates;
  for (const std::string ring : {"rns4", "m31"}) {
    const auto field = field::Ring::create(ring).value();
    const auto encode = std::make_shared<measuring::EncodeTrial>(field, kShape, kShareColumns);
    const auto masks = std::make_shared<measuring::MaskTrial>(field, kMaskColumns);
    rates.push_back(
        {fmt::format("encode.{}.gb_per_s", ring), encode->bytes(), [encode] { encode->run(); }});
    rates.push_back(
        {fmt::format("masks.{}.gb_per_s", ring), masks->bytes(), [masks] { masks->run(); }});
  }
  return measure_rates(rates);
}

// A round of all 28 parties, nobody late: everybody shares, evaluates and learns. Few rows suffice:
// a round takes as long whatever their number.
Result<json> measure_round(int threads) {
  ThreadPool::set_default_threads(threads);
  FEDVS_TRY(const Job job,
            complete_job({.toml = std::nullopt,
                          .sets = {"data.name=fashion-mnist", "data.clients=28", "code.K=6",
                                   "sim.delays=none", "protocol.late_models=wait"}}));
  FEDVS_TRY(auto training, measuring::Training::start(
                               job, {.rows = 6000, .features = kFashionColumns, .classes = 10}));
  constexpr std::uint64_t kRounds = 10;
  std::vector<double> seconds;
  for (int turn = 0; turn <= kRepetitions; ++turn) {
    FEDVS_TRY(const auto taken, training->run(kRounds));
    if (turn > 0) seconds.push_back(taken.wall / kRounds);  // the first warms up
  }
  const double best = measuring::spread_of(seconds).min;
  const double rounds = static_cast<double>(kFashionRows) /
                        static_cast<double>(training->agreement().batch_rows() * 6);
  return json{{"round.28_clients.ms", 1000 * best},
              {"round.28_clients.threads", threads},
              {"epoch.fashion-mnist.estimated_s", best * rounds}};
}

json machine_facts() {
  std::vector<std::string> kernels;
  for (const Kernel kernel : field::available_kernels()) kernels.emplace_back(field::name(kernel));
  return {{"cpu", run::cpu_model()},
          {"cores", run::cores()},
          {"kernels", kernels},
          {"active_kernel", field::name(field::active_kernel())}};
}

std::string text_of(const json& result) {
  const auto& machine = result.at("machine");
  std::string kernels;
  for (const auto& name : machine.at("kernels"))
    kernels += fmt::format(" {}", name.get<std::string>());
  std::string text = fmt::format("{}, {} cores; kernels:{}; active: {}\n\n",
                                 machine.at("cpu").get<std::string>(), machine.at("cores").dump(),
                                 kernels, machine.at("active_kernel").get<std::string>());
  text += "one thread                     rns4        m31\n";
  const auto line = [&](const std::string& title, const std::string& key, const char* unit) {
    text += fmt::format("{:<24}", title);
    for (const char* ring : {"rns4", "m31"}) {
      text +=
          fmt::format(" {:>11.2f}", result.at(fmt::format(fmt::runtime(key), ring)).get<double>());
    }
    text += fmt::format("  {}\n", unit);
  };
  for (const auto& name : machine.at("kernels")) {
    const std::string kernel = name;
    line("product, " + kernel, "product.{}." + kernel + ".gmac_per_s", "GMAC/s");
    if (kernel != "portable") {
      line("  its instruction alone", "probe.{}." + kernel + ".gmac_per_s", "GMAC/s");
    }
  }
  line("sharing data", "encode.{}.gb_per_s", "GB/s of shares");
  line("masks", "masks.{}.gb_per_s", "GB/s");
  return text + fmt::format(
                    "\nA round of 28 clients takes {:.1f} ms with {} thread{}, all parties in this "
                    "process.\nAn epoch of Fashion-MNIST takes about {:.1f} s here.\n",
                    result.at("round.28_clients.ms").get<double>(),
                    result.at("round.28_clients.threads").dump(),
                    result.at("round.28_clients.threads") == 1 ? "" : "s",
                    result.at("epoch.fashion-mnist.estimated_s").get<double>());
}

}  // namespace

ExitStatus bench(const BenchOptions& options) {
  run::Progress progress(options.json);
  ThreadPool::set_default_threads(1);
  json result{{"machine", machine_facts()}};
  progress.line("measuring the product on every kernel");
  result.update(measure_products());
  progress.line("measuring sharing and masks");
  result.update(measure_coding());
  progress.line("measuring a round of 28 clients");
  const auto round = measure_round(options.threads > 0 ? options.threads : run::cores());
  if (!round) {
    std::cerr << "fedvs bench: " << round.error().message << "\n";
    return exit_status(round.error());
  }
  result.update(*round);
  std::cout << (options.json ? result.dump() + "\n" : text_of(result));
  return kOk;
}

}  // namespace fedvs::cli
