// A run that was stopped or killed ends, once resumed, as if nothing had happened.
#include <csignal>

#include "tests/cli/cli_fixture.h"

namespace fedvs::cli {
namespace {

using testing::HasSubstr;

constexpr int kStoppedAndSaved = 3;

// Six epochs of 250 rounds, with the paper's delays: gradients are under way at any moment.
const Arguments kTrain = words(
                             "train --data synthetic --set data.rows=7143 --set data.features=8 "
                             "--clients 6 --epochs 6") +
                         kTiny;

class Resume : public Cli {
 protected:
  std::size_t lines(const std::string& file) const {
    const std::string all = text(file);
    return static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n'));
  }
  // Starts a run and signals it once `due`. One that ended before the signal came is begun again.
  Outcome interrupted(int signal, const std::function<bool()>& due) {
    constexpr int kTries = 5;
    for (int i = 0; i < kTries; ++i) {
      std::filesystem::remove_all(folder_ / "run");
      Program program(folder_.path(), kTrain + Arguments{"--out", "run"});
      program.wait_until(due);
      program.send(signal);
      const Outcome outcome = program.wait();
      if (outcome.status != 0) return outcome;
    }
    return {};
  }
  // The events of a run that nobody stops.
  const std::vector<std::string>& uninterrupted() {
    static const std::vector<std::string> events = [&] {
      EXPECT_EQ(fedvs(kTrain + Arguments{"--out", "whole"}).status, 0);
      return lines_of(text("whole/events.jsonl"));
    }();
    return events;
  }
  void expect_same_as_uninterrupted() {
    const auto& expected = uninterrupted();
    const auto resumed = lines_of(text("run/events.jsonl"));
    ASSERT_FALSE(expected.empty());
    for (std::size_t i = 0; i < std::min(expected.size(), resumed.size()); ++i) {
      ASSERT_EQ(resumed[i], expected[i]) << "line " << i + 1;
    }
    EXPECT_EQ(resumed.size(), expected.size());
    EXPECT_EQ(lines("run/metrics.csv"), 1u + 6u);  // the header, and a line per epoch
  }
};

TEST_F(Resume, ContinuesARunThatWasStoppedInMidEpoch) {
  // Given a run that is asked to stop somewhere in its second epoch or later,
  const Outcome stopped = interrupted(SIGINT, [&] { return lines("run/events.jsonl") > 300; });
  ASSERT_EQ(stopped.status, kStoppedAndSaved) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("go on with: fedvs train --resume run"));
  // Then it cannot be predicted with yet,
  write("rows.csv", "a\n1\n");
  expect_refused({"predict", "run", "--data", "rows.csv"}, 2,
                 {"run is not finished", "fedvs train --resume run"});
  // When it is resumed, then it ends like one that was never stopped.
  const Outcome resumed = fedvs({"train", "--resume", "run"});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  expect_same_as_uninterrupted();
}

TEST_F(Resume, ContinuesAKilledRunFromItsLastEpoch) {
  // Given a run killed after its first checkpoint, with events beyond it,
  const Outcome killed = interrupted(SIGKILL, [&] {
    return std::filesystem::exists(folder_ / "run/checkpoint/latest.ckpt") &&
           lines("run/events.jsonl") > 400;
  });
  ASSERT_EQ(killed.status, 128 + SIGKILL) << killed.err;
  const Outcome resumed = fedvs({"train", "--resume", "run"});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  expect_same_as_uninterrupted();
}

TEST_F(Resume, StopsAndContinuesMoreThanOnce) {
  ASSERT_EQ(interrupted(SIGTERM, [&] { return lines("run/events.jsonl") > 20; }).status,
            kStoppedAndSaved);
  const std::size_t before = lines("run/events.jsonl");
  Program again(folder_.path(), {"train", "--resume", "run"});
  again.wait_until([&] { return lines("run/events.jsonl") > before + 300; });
  again.send(SIGINT);
  if (again.wait().status == kStoppedAndSaved) {  // or it had ended before
    EXPECT_EQ(fedvs({"train", "--resume", "run"}).status, 0);
  }
  expect_same_as_uninterrupted();
}

}  // namespace
}  // namespace fedvs::cli
