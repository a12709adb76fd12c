// Two runs over the same rows with other groups. The server learns sums over groups: of clients'
// Gram matrices, where a group lags (docs/design/late-models.md). The sums of one partition into
// groups of T+2 isolate nobody, even with T clients' help; those of two partitions do.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fedvs/protocol/groups.h"
#include "tests/party/rehearsal.h"
#include "tests/support/stage.h"

namespace fedvs {
namespace {

using protocol::Groups;
using ::testing::Each;
using ::testing::HasSubstr;
using testing::Stage;

constexpr int kParties = 6, kColluding = 1;
// {3,4,5} | {1,2,6}, then {1,2,5} | {3,4,6}, counted from 1.
const Groups kFirst = {{2, 3, 4}, {0, 1, 5}}, kSecond = {{0, 1, 4}, {2, 3, 5}};

// ---- what comes out: an experiment with Gram matrices

using Vector = std::vector<double>;

// Coefficients with which the known sums add up to client `n` alone; none: it is not in their span.
std::optional<Vector> isolating(const std::vector<Vector>& sums, int n) {
  // Gauss-Jordan on [sums^T | e_n]: six equations, one per client.
  const std::size_t unknowns = sums.size();
  std::vector<Vector> rows(kParties, Vector(unknowns + 1, 0.0));
  for (std::size_t client = 0; client < kParties; ++client) {
    for (std::size_t s = 0; s < unknowns; ++s) rows[client][s] = sums[s][client];
    rows[client][unknowns] = static_cast<int>(client) == n ? 1.0 : 0.0;
  }
  Vector solution(unknowns, 0.0);
  std::vector<std::pair<std::size_t, std::size_t>> pivots;
  std::size_t at = 0;
  for (std::size_t s = 0; s < unknowns && at < rows.size(); ++s) {
    std::size_t best = at;
    for (std::size_t r = at; r < rows.size(); ++r) {
      if (std::abs(rows[r][s]) > std::abs(rows[best][s])) best = r;
    }
    if (std::abs(rows[best][s]) < 1e-9) continue;
    std::swap(rows[at], rows[best]);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r == at) continue;
      const double factor = rows[r][s] / rows[at][s];
      for (std::size_t c = 0; c <= unknowns; ++c) rows[r][c] -= factor * rows[at][c];
    }
    pivots.emplace_back(at++, s);
  }
  for (std::size_t r = at; r < rows.size(); ++r) {
    if (std::abs(rows[r][unknowns]) > 1e-9) return std::nullopt;
  }
  for (const auto& [r, s] : pivots) solution[s] = rows[r][unknowns] / rows[r][s];
  return solution;
}

Vector indicator(const std::vector<int>& members) {
  Vector made(kParties, 0.0);
  for (int n : members) made[static_cast<std::size_t>(n)] = 1.0;
  return made;
}

// Every client's X X^T for ten rows of four features, one after the other.
std::vector<Vector> gram_matrices() {
  Prng random = Prng(Key256{7});
  std::vector<Vector> grams;
  for (int n = 0; n < kParties; ++n) {
    std::vector<Vector> rows(10, Vector(4));
    for (auto& row : rows) {
      for (auto& value : row) value = random.next_unit() - 0.5;
    }
    Vector& gram = grams.emplace_back();
    for (const auto& a : rows) {
      for (const auto& b : rows) {
        double product = 0;
        for (std::size_t c = 0; c < a.size(); ++c) product += a[c] * b[c];
        gram.push_back(product);
      }
    }
  }
  return grams;
}

// Clients whose whole Gram matrix the server has, with the help of some T others.
std::set<int> singled_out(const std::vector<Groups>& accepted) {
  const auto grams = gram_matrices();
  std::set<int> found;
  for (int helper = 0; helper < kParties; ++helper) {  // T = 1
    std::vector<Vector> sums{indicator({helper})};
    for (const auto& groups : accepted) {
      for (const auto& group : groups) sums.push_back(indicator(group));
    }
    for (int n = 0; n < kParties; ++n) {
      if (n == helper) continue;
      const auto coefficients = isolating(sums, n);
      if (!coefficients) continue;
      double worst = 0;
      for (std::size_t i = 0; i < grams[0].size(); ++i) {
        double value = 0;  // from the sums that the server knows
        for (std::size_t s = 0; s < sums.size(); ++s) {
          double sum = 0;
          for (std::size_t m = 0; m < kParties; ++m) sum += sums[s][m] * grams[m][i];
          value += (*coefficients)[s] * sum;
        }
        worst = std::max(worst, std::abs(value - grams[static_cast<std::size_t>(n)][i]));
      }
      if (worst < 1e-9) found.insert(n);
    }
  }
  return found;
}

// ---- who accepts what: whole runs of the protocol

// A server that names the groups that it likes, and hears nothing of others.
void cheat(Stage& stage, const Groups& groups, bool clients_tell) {
  stage.tamper = [=](int, int, protocol::MessagePtr message) {
    if (const auto* check = std::get_if<protocol::RowCheck>(message.get());
        check && !clients_tell) {
      auto silent = *check;
      silent.groups.clear();
      return protocol::make_message(std::move(silent));
    }
    if (const auto* hello = std::get_if<protocol::Hello>(message.get())) {
      auto silent = *hello;
      silent.groups.clear();
      return protocol::make_message(std::move(silent));
    }
    const auto* step = std::get_if<protocol::Step>(message.get());
    if (step == nullptr || !step->groups) return message;
    auto changed = *step;
    changed.groups = std::make_shared<const Groups>(groups);
    return protocol::make_message(std::move(changed));
  };
}

struct Outcome {
  std::vector<Groups> accepted;  // by each client; empty: none
  std::vector<std::string> refusals;
};

const std::vector<std::string> kSets = {"data.clients=6", "code.K=1", "train.epochs=2",
                                        "protocol.warmup_rounds=2"};

Outcome train(const Groups& named, const std::vector<Groups>& bound, bool clients_tell = true) {
  Stage stage(kSets);
  stage.sign_nothing();  // the attacker has the key: what else keeps it from it?
  for (int n = 0; n < kParties; ++n) stage.groups_of(n) = bound[static_cast<std::size_t>(n)];
  cheat(stage, named, clients_tell);
  // Refusals do not reach it: it goes on as long as it likes.
  stage.lose = [](int, int, const protocol::Message& message) {
    return std::holds_alternative<protocol::Refusal>(message);
  };
  stage.start();
  stage.run_until_round(4);
  Outcome outcome;
  for (int n = 0; n < kParties; ++n) {
    const auto& groups = stage.client(n).groups();
    outcome.accepted.push_back(groups ? *groups : Groups{});
    const auto& said = stage.client(n).refusals();
    if (!said.empty()) outcome.refusals.push_back(said.front());
  }
  return outcome;
}

const std::vector<Groups> kFree(kParties);

std::vector<Groups> of_all_runs(const Outcome& first, const Outcome& second) {
  std::vector<Groups> accepted;
  for (const auto* run : {&first, &second}) {
    if (std::ranges::count(run->accepted, run->accepted[0]) == kParties &&
        !run->accepted[0].empty()) {
      accepted.push_back(run->accepted[0]);
    }
  }
  return accepted;
}

TEST(ChangedGroups, OnePartitionIsolatesNobodyAndTwoDo) {
  EXPECT_TRUE(singled_out({kFirst}).empty());
  EXPECT_TRUE(singled_out({kSecond}).empty());
  EXPECT_EQ(singled_out({kFirst, kSecond}), (std::set<int>{4, 5})) << "clients 5 and 6";
}

TEST(ChangedGroups, ClientsThatRememberRefuseTheSecondRuns) {
  const Outcome first = train(kFirst, kFree);
  EXPECT_THAT(first.accepted, Each(kFirst));
  const Outcome forgetful = train(kSecond, kFree);
  const Outcome second = train(kSecond, first.accepted);
  const auto before = singled_out(of_all_runs(first, forgetful));
  const auto after = singled_out(of_all_runs(first, second));
  std::printf(
      "clients that accept other groups over the same rows: %d of 6 without a memory, "
      "%d with; whole Gram matrices out: %zu, then %zu\n",
      static_cast<int>(std::ranges::count(forgetful.accepted, kSecond)),
      static_cast<int>(std::ranges::count(second.accepted, kSecond)), before.size(), after.size());
  EXPECT_EQ(before.size(), 2u);
  EXPECT_EQ(after.size(), 0u);
  EXPECT_THAT(second.accepted, Each(Groups{}));
  ASSERT_EQ(second.refusals.size(), 6u);
  EXPECT_THAT(second.refusals, Each(HasSubstr("other groups than those of an earlier run")));
}

// In the first run the server showed its plans to some clients only: the others know of no groups.
// In the second it shows its plans to those. Without the word of who knows, half of them accept.
TEST(ChangedGroups, WhoWasNotShownTheFirstRunsPlansIsBoundByTheWordOfOthers) {
  std::vector<Groups> bound(kParties);
  for (std::size_t n : {0u, 1u, 2u}) bound[n] = kFirst;
  const auto accepting = [](const Outcome& run) {
    return static_cast<int>(std::ranges::count(run.accepted, kSecond));
  };
  const int alone = accepting(train(kSecond, bound, /*clients_tell=*/false));
  const Outcome told = train(kSecond, bound);
  std::printf("clients that accept other groups: %d of 6, and %d where those who know tell\n",
              alone, accepting(told));
  EXPECT_EQ(alone, 3);
  EXPECT_EQ(accepting(told), 0);
  EXPECT_THAT(told.refusals, Each(HasSubstr("other groups than those of an earlier run")));
  // No T of them dictate groups.
  std::vector<Groups> liar(kParties);
  liar[4] = kFirst;
  EXPECT_EQ(accepting(train(kSecond, liar)), kParties - 1);
}

TEST(ChangedGroups, ClientsThatAreBoundToDifferentOnesDoNotTrainTogether) {
  const Outcome run =
      train(kFirst, {kFirst, kFirst, kFirst, kSecond, kSecond, Groups{}}, /*clients_tell=*/true);
  EXPECT_EQ(std::ranges::count_if(run.refusals,
                                  [](const std::string& why) {
                                    return why.find("bound to other groups") != std::string::npos;
                                  }),
            2);
  EXPECT_THAT(run.accepted, Each(Groups{})) << "rows are not shared, so nothing is trained";
}

// ---- an honest server goes by what binds its clients

class Adopted : public ::testing::Test {
 protected:
  Groups train() {
    stage_.start();
    stage_.run();
    EXPECT_TRUE(stage_.server().status()) << stage_.server().status().error().message;
    for (int n = 0; n < kParties; ++n) EXPECT_TRUE(stage_.client(n).refusals().empty());
    return stage_.recorder.groups;
  }
  Stage stage_{kSets};
};

TEST_F(Adopted, TheGroupsThatMoreThanTClientsAreBoundTo) {
  for (int n : {1, 4}) stage_.groups_of(n) = kSecond;
  stage_.groups_of(protocol::kServer) = kFirst;
  EXPECT_TRUE(protocol::same_partition(train(), kSecond));
}

TEST_F(Adopted, TheServersOwnWhereNoClientIsBound) {
  stage_.groups_of(protocol::kServer) = kFirst;
  EXPECT_TRUE(protocol::same_partition(train(), kFirst));
}

TEST(AdoptedGroups, TClientsDictateNothing) {
  const auto agreement = Stage(kSets).agreement();
  std::vector<Groups> said(kParties);
  said[3] = kSecond;
  EXPECT_EQ(protocol::binding_groups(agreement, said, {}), Groups{});
  EXPECT_EQ(protocol::binding_groups(agreement, said, kFirst), kFirst);
  said[0] = said[1] = {{0, 1}, {2, 3, 4, 5}};  // too small
  EXPECT_EQ(protocol::binding_groups(agreement, said, kFirst), kFirst);
  said[5] = {{5, 3, 2}, {4, 1, 0}};
  EXPECT_TRUE(protocol::same_partition(protocol::binding_groups(agreement, said, kFirst), kSecond));
}

// ---- real parties, whose states operators move away to train anew

class ChangedGroupsOfParties : public ::testing::Test {
 protected:
  party::GroupMemory servers_memory() const {
    const auto ids = run_.rows_of(0).rows.ids;
    return party::GroupMemory::open(run_.trial().server / "groups.ckpt", party::row_marks({}, ids))
        .value();
  }
  void give_server(const Groups& groups) {
    std::filesystem::remove(run_.trial().server / "groups.ckpt");
    servers_memory().keep(groups).value();
  }
  void train_anew() {
    const auto forget = [](const std::filesystem::path& folder) {
      std::filesystem::remove_all(folder / "state");
    };
    for (const auto& client : run_.trial().clients) forget(client);
    forget(run_.trial().server);
    run_.start_server();
    for (int n = 0; n < kParties; ++n) run_.start_client(n);
  }
  void expect_good_end() {
    const auto over = run_.wait();
    ASSERT_TRUE(over.server) << over.server.error().message << run_.log().text();
  }
  party::testing::Rehearsal run_{
      {"data.rows=200", "train.epochs=2", "train.evaluate_every=2", "code.K=1"}};
};

TEST_F(ChangedGroupsOfParties, AreThoseOfTheFirstRunForGood) {
  give_server(kFirst);
  train_anew();
  expect_good_end();
  EXPECT_TRUE(protocol::same_partition(run_.diary().groups(), kFirst));
  // When the server has forgotten, or says otherwise, then its clients remember.
  give_server(kSecond);
  train_anew();
  expect_good_end();
  EXPECT_TRUE(protocol::same_partition(run_.diary().groups(), kFirst));
  // One client that is bound among others that are not: it refuses by itself.
  for (int n = 1; n < kParties; ++n) {
    std::filesystem::remove(run_.trial().clients[static_cast<std::size_t>(n)] / "groups.ckpt");
  }
  give_server(kSecond);
  train_anew();
  EXPECT_TRUE(run_.log().wait_for("client-1 refuses: other groups than those of an earlier run"))
      << run_.log().text();
  run_.stop_all();
}

}  // namespace
}  // namespace fedvs
