// What it costs to write down durable state: today's files (fedvs/store) beside SQLite 3 in WAL
// mode, one after the other in every repetition, on the disk of the folder that is named.
//   store_durable_bench [FOLDER [REPETITIONS]]
// Sizes are those of 28 clients and width h = 64. Figures are medians; what counts is the ratio.
// docs/design/durable-state.md
#include <fmt/core.h>
#include <sys/vfs.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "bench/store/sqlite_table.h"
#include "fedvs/store/checkpoint.h"
#include "fedvs/store/newest_records.h"
#include "fedvs/store/record_log.h"

namespace fedvs::bench {
namespace {

namespace fs = std::filesystem;
using Sync = store::RecordLog::Sync;

constexpr int kClients = 28;
constexpr std::size_t kPlan = 1400;           // bytes of a noted plan, of 28 versions and 32 rows
constexpr std::size_t kShare = 28 * 64 * 4;   // of a model share: 28 inputs, h = 64, ring rns4
constexpr std::size_t kStanding = 6000;       // of server.ckpt
constexpr std::uint64_t kSegment = 8u << 20;  // of the gradient log
constexpr long kTmpfs = 0x01021994;

std::string noise(std::size_t size) {
  static std::mt19937_64 random(7);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

store::RecordLog open_log(const fs::path& path) {
  return store::RecordLog::open(path, [](auto, auto) { return Status{}; }).value();
}

// Both ways to do the same, timed in turn: whatever else the machine does befalls both.
class Race {
 public:
  Race(std::string name, int repetitions) : name_(std::move(name)), repetitions_(repetitions) {}
  void run(const std::function<void(int)>& files, const std::function<void(int)>& sqlite) {
    std::vector<double> a, b;
    for (int i = 0; i < repetitions_; ++i) {
      a.push_back(timed(files, i));
      b.push_back(timed(sqlite, i));
    }
    const double of_files = median(a), of_sqlite = median(b);
    fmt::print("{:<58} {:>9.1f} {:>9.1f} {:>7.2f}\n", name_, of_files, of_sqlite,
               of_sqlite / of_files);
  }

 private:
  static double timed(const std::function<void(int)>& work, int i) {
    const auto began = std::chrono::steady_clock::now();
    work(i);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began)
        .count();
  }
  static double median(std::vector<double>& values) {
    std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
    return values[values.size() / 2];
  }
  const std::string name_;
  const int repetitions_;
};

void plan_notes(const fs::path& folder, int repetitions) {
  auto log = open_log(folder / "plans.log");
  SqliteFile file(folder / "plans.db", "FULL");
  SqliteTable table(file, "plans");
  const std::string plan = noise(kPlan);
  Race("plan note, on the disk before the answer", repetitions)
      .run([&](int) { log.append(plan, Sync::kYes).value(); }, [&](int i) { table.put(i, plan); });
}

// 28 shares a round, each as it comes; they have to outlive the process, not the machine.
void model_shares(const fs::path& folder, int repetitions, const std::string& synchronous) {
  auto newest =
      store::NewestRecords::open(folder / ("models-" + synchronous), kClients, kShare).value();
  SqliteFile file(folder / (synchronous + "models.db"), synchronous);
  SqliteTable table(file, "models");
  std::vector<std::string> shares;
  for (int n = 0; n < kClients; ++n) shares.push_back(noise(kShare));
  const auto kept = static_cast<int>(store::NewestRecords::kKept);
  const auto share = [&](int n, int i) -> const std::string& {
    shares[static_cast<std::size_t>(n)][0] = static_cast<char>(i);
    return shares[static_cast<std::size_t>(n)];
  };
  Race(fmt::format("28 model shares, SQLite synchronous={}", synchronous), repetitions)
      .run(
          [&](int i) {
            for (int n = 0; n < kClients; ++n) newest.put(static_cast<std::size_t>(n), share(n, i));
          },
          [&](int i) {
            for (int n = 0; n < kClients; ++n) table.put(n * kept + i % kept, share(n, i));
          });
}

// Segments, as party::GradientLog has them.
class Segments {
 public:
  explicit Segments(fs::path folder) : folder_(std::move(folder)) { fs::create_directory(folder_); }
  void append(const std::string& record) {
    if (logs_.empty() || logs_.back().size() >= kSegment) {
      logs_.push_back(open_log(folder_ / fmt::format("{}.log", names_++)));
    }
    places_.push_back({names_ - 1, logs_.back().append(record, Sync::kYes).value()});
  }
  std::string read(std::size_t step) const {
    const auto [name, offset] = places_[step];
    return logs_[name - (names_ - logs_.size())].read(offset).value();
  }
  // Whole segments, from the front.
  void forget_before(std::size_t step) {
    while (names_ - logs_.size() < places_[step].name) {
      fs::remove(folder_ / fmt::format("{}.log", names_ - logs_.size()));
      logs_.erase(logs_.begin());
    }
  }

 private:
  struct Place {
    std::size_t name;
    std::uint64_t offset;
  };
  fs::path folder_;
  std::vector<store::RecordLog> logs_;
  std::size_t names_ = 0;
  std::vector<Place> places_;
};

void gradients(const fs::path& folder, int repetitions, std::size_t size) {
  Segments segments(folder / fmt::format("gradients-{}", size));
  SqliteFile file(folder / fmt::format("gradients-{}.db", size), "FULL");
  SqliteTable table(file, "gradients");
  std::string gradient = noise(size);
  const auto kb = size / 1000;
  Race(fmt::format("gradient of {} kB, on the disk", kb), repetitions)
      .run([&](int) { segments.append(gradient); }, [&](int i) { table.put(i, gradient); });
  const int kept = repetitions / 2;
  Race(fmt::format("gradient of {} kB, read by step", kb), kept)
      .run([&](int i) { gradient = segments.read(static_cast<std::size_t>(i)); },
           [&](int i) { gradient = table.read(i); });
  Race(fmt::format("gradient of {} kB, forgotten from the front", kb), kept)
      .run([&](int i) { segments.forget_before(static_cast<std::size_t>(i)); },
           [&](int i) { table.forget_before(i); });
}

// All that a server writes before a step is sent: four files that must agree, or one transaction.
void server_round(const fs::path& folder, int repetitions, std::size_t size) {
  auto heads = open_log(folder / fmt::format("heads-{}.log", size));
  auto learned = open_log(folder / fmt::format("learned-{}.log", size));
  Segments segments(folder / fmt::format("round-{}", size));
  SqliteFile file(folder / fmt::format("round-{}.db", size), "FULL");
  SqliteTable plans(file, "heads"), notes(file, "learned"), sums(file, "gradients"),
      standing(file, "standing");
  const std::string plan = noise(kPlan), gradient = noise(size), note = noise(kStanding);
  constexpr int kKept = 32;  // rounds
  Race(fmt::format("a server's round, gradients of {} kB", size / 1000), repetitions)
      .run(
          [&](int i) {
            learned.append(gradient, Sync::kYes).value();
            heads.append(plan, Sync::kYes).value();
            segments.append(gradient);
            store::write_checkpoint(folder / "server.ckpt", {{"server", note}}).value();
            if (i % kKept != kKept - 1) return;
            learned.clear().value();
            segments.forget_before(static_cast<std::size_t>(i));
          },
          [&](int i) {
            file.run("BEGIN");
            notes.put(i, gradient);
            plans.put(i, plan);
            sums.put(i, gradient);
            standing.put(0, note);
            if (i % kKept == kKept - 1) {
              notes.forget_before(i + 1);
              sums.forget_before(i);
            }
            file.run("COMMIT");
          });
}

int run(const fs::path& where, int repetitions) {
  struct statfs disk {};
  if (::statfs(where.c_str(), &disk) != 0 || disk.f_type == kTmpfs) {
    fmt::print(stderr, "{} is no folder on a disk\n", where.string());
    return 2;
  }
  const auto folder = where / "durable-bench";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fmt::print("{:<58} {:>9} {:>9} {:>7}\n", "median of microseconds", "files", "SQLite", "ratio");
  plan_notes(folder, repetitions);
  for (const char* synchronous : {"FULL", "NORMAL"}) {
    model_shares(folder, repetitions, synchronous);
  }
  for (const std::size_t size : {100'000u, 1'000'000u}) gradients(folder, repetitions, size);
  for (const std::size_t size : {100'000u, 1'000'000u}) server_round(folder, repetitions, size);
  fs::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace fedvs::bench

int main(int argc, char** argv) {
  return fedvs::bench::run(argc > 1 ? argv[1] : ".", argc > 2 ? std::atoi(argv[2]) : 300);
}
