// A run that somebody disturbs, and what must come of it: the reason in the log, and the end that
// it would have had anyway.
#pragma once
#include <gmock/gmock.h>

#include <optional>

#include "tests/party/rehearsal.h"

namespace fedvs::party::testing {

// So many rounds that the run is not over before whoever disturbs it has done all that it wants:
// while it lingers (rehearsal.h) they take longer than any test may. Afterwards it takes seconds.
inline std::vector<std::string> many_rounds() { return {"train.epochs=30"}; }

// A run that nobody disturbs, once per process.
inline const Rehearsal::Ending& undisturbed() {
  static const Rehearsal::Ending ending = [] {
    Rehearsal run(many_rounds());
    run.start();
    auto over = run.wait();
    EXPECT_TRUE(over.server) << over.server.error().message;
    return over;
  }();
  return ending;
}

class DisturbedRun : public ::testing::Test {
 protected:
  void begin(const std::map<int, std::string>& via = {}) {
    undisturbed();
    run_.diary().set_linger(true);
    run_.start(via);
    ASSERT_TRUE(run_.diary().wait_for_round(9)) << run_.log().text();
  }

  // The run has gone on since.
  void expect_progress() {
    EXPECT_TRUE(run_.diary().wait_for_round(run_.diary().rounds() + 2)) << run_.log().text();
  }

  // All finish, but for one that may have harmed itself, after as many rounds and with as good a
  // model as if nothing had been.
  void expect_unharmed_end(std::optional<int> harms_itself = {}) {
    const auto over = run_.wait();
    ASSERT_TRUE(over.server) << over.server.error().message << run_.log().text();
    for (int n = 0; n < static_cast<int>(over.clients.size()); ++n) {
      const auto& client = over.clients[static_cast<std::size_t>(n)];
      if (n == harms_itself) continue;
      EXPECT_TRUE(client) << client.error().message << run_.log().text();
    }
    // A client that leaves while its part of a plan is awaited costs the epoch that batch.
    const auto abandoned = notes_with("plan revised with older models and other rows");
    EXPECT_EQ(over.rounds + abandoned.size(), undisturbed().rounds)
        << ::testing::PrintToString(run_.diary().notes());
    EXPECT_NEAR(over.accuracy, undisturbed().accuracy, 0.1);
  }

  std::vector<std::string> notes_with(const std::string& part) {
    auto notes = run_.diary().notes();
    std::erase_if(notes, [&](const std::string& note) { return note.find(part) == note.npos; });
    return notes;
  }

  Rehearsal run_{many_rounds()};
};

}  // namespace fedvs::party::testing
