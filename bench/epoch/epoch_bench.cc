// Trains a job on random data, as much at a time as stdin asks for, so that a script can alternate
// with a peer:   epoch_bench ROWS FEATURES CLASSES KEY=VALUE...
//   "rounds COUNT THREADS" or "epoch THREADS"  ->  {"seconds":..,"cpu_seconds":..,"rounds":..,
//                                                  "peak_bytes":..}
//   "uploads"                                  ->  {"per_round":..}   N: nobody's work is skipped
// The first line of output tells of the set-up.
#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "fedvs/base/proc.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/experiments/measuring/training.h"
#include "fedvs/job/parse.h"
#include "fedvs/run/machine.h"

namespace fedvs::measuring {
namespace {

void say(const std::string& line) { std::cout << line << std::endl; }

std::string timed(Training& training, std::uint64_t rounds, int threads) {
  ThreadPool::set_default_threads(threads);
  const Seconds seconds = training.run(rounds).value();
  return fmt::format(
      "{{\"seconds\":{:.6f},\"cpu_seconds\":{:.6f},\"rounds\":{},\"peak_bytes\":{}}}", seconds.wall,
      seconds.cpu, rounds, peak_memory_bytes());
}

std::string answer(Training& training, const std::string& line) {
  std::istringstream in(line);
  std::string word;
  std::uint64_t rounds = training.rounds_per_epoch();
  int threads = 1;
  in >> word;
  if (word == "uploads") {
    return fmt::format("{{\"per_round\":{}}}", training.uploads_per_round(8).value());
  }
  if (word == "rounds") in >> rounds;
  in >> threads;
  return timed(training, rounds, threads);
}

int run(const TableShape& shape, const std::vector<std::string>& sets) {
  ThreadPool::set_default_threads(cores());
  auto job = complete_job({.toml = std::nullopt, .sets = sets});
  auto training = job ? Training::start(*job, shape) : job.error();
  if (!training) {
    std::cerr << "epoch_bench: " << training.error().message << "\n";
    return 1;
  }
  const auto& code = (*training)->agreement().shape;
  say(
      fmt::format("{{\"setup_seconds\":{:.3f},\"rounds_per_epoch\":{},\"batch\":{},\"N\":{},"
                  "\"K\":{},\"T\":{},\"peak_bytes\":{}}}",
                  (*training)->setup_seconds(), (*training)->rounds_per_epoch(),
                  (*training)->agreement().batch_rows() * static_cast<std::size_t>(code.blocks),
                  code.parties, code.blocks, code.colluding, peak_memory_bytes()));
  for (std::string line; std::getline(std::cin, line);) say(answer(**training, line));
  return 0;
}

}  // namespace
}  // namespace fedvs::measuring

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: epoch_bench ROWS FEATURES CLASSES KEY=VALUE...\n";
    return 2;
  }
  const fedvs::measuring::TableShape shape{
      .rows = std::stoul(argv[1]), .features = std::stoul(argv[2]), .classes = std::stoi(argv[3])};
  return fedvs::measuring::run(shape, {argv + 4, argv + argc});
}
