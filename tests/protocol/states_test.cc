// docs/design/states.md says what the code does: every cell of its tables is tried.
#include "fedvs/protocol/client/states.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fedvs/base/check.h"
#include "fedvs/protocol/server/phase.h"
#include "fedvs/protocol/server/presence.h"

namespace fedvs::protocol {
namespace {

using Row = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(trimmed(part));
  return parts;
}

// The table below this heading: the first row names the columns.
std::vector<Row> table(const std::string& heading) {
  std::ifstream in(FEDVS_STATES_PAGE);
  std::vector<Row> rows;
  bool below = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) below = line == "## " + heading;
    if (!below || !line.starts_with("|") || line.starts_with("|---")) continue;
    rows.push_back(split(line.substr(1), '|'));
  }
  return rows;
}

TEST(States, TheServersTableIsTheOneThatTheServerChecks) {
  const auto rows = table("The server's phase");
  ASSERT_EQ(rows.size(), 1U + kPhases);
  for (int before = 0; before < kPhases; ++before) {
    const auto phase = static_cast<Phase>(before);
    const Row& row = rows[static_cast<std::size_t>(before) + 1];
    EXPECT_EQ(row[0], name_of(phase));
    const auto listed = split(row.size() > 2 ? row[2] : "", ',');
    const std::set<std::string> says(listed.begin(), listed.end());
    for (int next = 0; next < kPhases; ++next) {
      const auto name = std::string(name_of(static_cast<Phase>(next)));
      EXPECT_EQ(may_follow(phase, static_cast<Phase>(next)), says.contains(name))
          << row[0] << " to " << name;
    }
  }
}

TEST(StatesDeathTest, AServerThatIsDoneStaysSo) {
  ServerPhase phase;
  phase.enter(Phase::kReturning);
  phase.enter(Phase::kDone);
  EXPECT_DEATH(phase.enter(Phase::kWaiting), "a server that is Done cannot be Waiting next");
}

TEST(States, TheFirstErrorOfAServerStays) {
  ServerPhase phase;
  phase.fail({ErrorCode::kRefused, "first"});
  phase.fail({ErrorCode::kCorrupt, "second"});
  EXPECT_EQ(phase.status().error().message, "first");
}

std::string name_of(const Presence& presence) {
  if (presence.caught_up()) return "Present";
  if (presence.is_behind()) return "Behind";
  return presence.was_sent_away() ? "SentAway" : "Absent";
}

TEST(StatesDeathTest, TheTableOfPresenceIsWhatPresenceDoes) {
  const std::map<std::string, void (*)(Presence&)> events{
      {"says hello before training", [](Presence& p) { p.come(); }},
      {"says hello later", [](Presence& p) { p.come_behind(7); }},
      {"does not fit the run", [](Presence& p) { p.send_away(); }},
      {"has all it missed", [](Presence& p) { p.catch_up(); }},
      {"is left out", [](Presence& p) { p.leave(); }}};
  std::map<std::string, Presence> states{
      {"Absent", {}}, {"SentAway", {}}, {"Behind", {}}, {"Present", {}}};
  states["SentAway"].send_away();
  states["Behind"].come_behind(3);
  states["Present"].come();
  const auto rows = table("A client, as the server sees it");
  ASSERT_EQ(rows.size(), 1 + states.size());
  ASSERT_EQ(rows[0].size(), 1 + events.size());
  for (std::size_t row = 1; row < rows.size(); ++row) {
    for (std::size_t column = 1; column < rows[0].size(); ++column) {
      SCOPED_TRACE(rows[row][0] + ": " + rows[0][column]);
      Presence presence = states.at(rows[row][0]);
      const auto happen = events.at(rows[0][column]);
      if (rows[row][column] == "-") {
        EXPECT_DEATH(happen(presence), "");
      } else {
        happen(presence);
        EXPECT_EQ(name_of(presence), rows[row][column]);
      }
    }
  }
}

const std::vector<std::string>& client_states() {
  static const std::vector<std::string> kNames{"Greeting", "Preparing", "CatchingUp",
                                               "Training", "Finished",  "BrokenOff"};
  return kNames;
}

doing::State client_state(std::size_t index) {
  const Farewell farewell{Ending::kFinished, "all rounds are done"};
  const std::vector<doing::State> states{doing::Greeting{},
                                         doing::Preparing{},
                                         doing::CatchingUp{},
                                         doing::Training{},
                                         doing::Finished{doing::Stage::kTraining, farewell},
                                         doing::BrokenOff{.reason = "a row twice", .proof = {}}};
  return states.at(index);
}

TEST(StatesDeathTest, TheClientsTableIsWhatAClientDoes) {
  const std::map<std::string, doing::Event> events{
      {"ComesBack", doing::ComesBack{}},
      {"Welcomed, no plan yet", doing::Welcomed{.training = false}},
      {"Welcomed, some plan", doing::Welcomed{.training = true}},
      {"SeesPlan, else", doing::SeesPlan{.to_train_on = false}},
      {"SeesPlan, to train on", doing::SeesPlan{.to_train_on = true}},
      {"Farewell", Farewell{Ending::kFinished, "over"}},
      {"BreaksOff", doing::BreaksOff{.reason = "two chains"}}};
  const auto rows = table("A client");
  ASSERT_EQ(rows.size(), 1 + client_states().size());
  ASSERT_EQ(rows[0].size(), 1 + events.size());
  for (std::size_t row = 1; row < rows.size(); ++row) {
    ASSERT_EQ(rows[row][0], client_states()[row - 1]);
    for (std::size_t column = 1; column < rows[0].size(); ++column) {
      SCOPED_TRACE(rows[row][0] + ": " + rows[0][column]);
      const auto& event = events.at(rows[0][column]);
      if (rows[row][column] == "-") {
        EXPECT_DEATH(doing::next(client_state(row - 1), event), "");
      } else {
        const auto next = doing::next(client_state(row - 1), event);
        EXPECT_EQ(client_states()[next.index()], rows[row][column]);
      }
    }
  }
}

}  // namespace
}  // namespace fedvs::protocol
