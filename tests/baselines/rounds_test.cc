// Rounds of wait and ignore, worked out by hand: who was averaged, when the round closed, what the
// clock said.
#include "fedvs/baselines/rounds.h"

#include <gmock/gmock.h>

namespace fedvs::baselines {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr double kExact = 1e-12;

// Three clients, 10 rows a round. Embedding 10 rows takes 1 s (client 3: 2 s), learning as much
// again; the server learns in 3 s; an upload, and a gradient, take 0.5 s of a link.
class HandWorked : public ::testing::Test {
 protected:
  // delays[client][round]
  static Machines machines(std::vector<std::vector<double>> delays) {
    SimJob job;
    job.client_gmacs = job.server_gmacs = 1e-9;  // one multiply-add a second
    job.bandwidth_mbps = 8e-6 * 20;              // 20 bytes a second
    const auto delay = [delays](int n, std::uint64_t r) {
      return delays[static_cast<std::size_t>(n)][static_cast<std::size_t>(r)];
    };
    return {job, delay, {.client_macs = {0.1, 0.1, 0.2}, .central_macs = 0.1, .bytes = 1}};
  }
};

TEST_F(HandWorked, WaitClosesWithTheLastAnswer) {
  auto m = machines({{0, 0}, {4, 0}, {0, 0}});
  Rounds rounds(m, 3);
  // Client 1 sends at 1, arrives 1.5; client 3 at 2, 2.5; client 2 at 1 + 4, 5.5; learned at 8.5.
  const auto first = rounds.run(10);
  EXPECT_THAT(first.answered, ElementsAre(0, 2, 1));  // as they arrived
  EXPECT_THAT(first.started, DoubleNear(0, kExact));
  EXPECT_THAT(first.closed, DoubleNear(8.5, kExact));
  // Gradients leave one after the other and arrive at 9, 9.5, 10. Learning and embedding take 2 s
  // (client 3: 4 s): sent at 11, 11.5, 14; the last arrives at 14.5.
  const auto second = rounds.run(10);
  EXPECT_THAT(second.started, DoubleNear(8.5, kExact));
  EXPECT_THAT(second.closed, DoubleNear(17.5, kExact));
}

TEST_F(HandWorked, IgnoreClosesWithTheFirstAnswersAndOnlyTheyLearn) {
  auto m = machines({{0, 0}, {4, 0}, {0, 0}});
  Rounds rounds(m, 2);
  // Clients 1 and 3 are in at 1.5 and 2.5; learned at 5.5. Client 2 was to send at 5, and does: it
  // arrives at 5.5, too late.
  const auto first = rounds.run(10);
  EXPECT_THAT(first.answered, ElementsAre(0, 2));
  EXPECT_THAT(first.closed, DoubleNear(5.5, kExact));
  // Client 2 hears of the round at once and only embeds: sent at 6.5, in at 7. Client 1 gets its
  // gradient at 6, learns and embeds until 8, in at 8.5. Closed with these two.
  const auto second = rounds.run(10);
  EXPECT_THAT(second.answered, ElementsAre(1, 0));
  EXPECT_THAT(second.closed, DoubleNear(11.5, kExact));
}

TEST_F(HandWorked, ANewRoundCancelsAnUploadThatWasNotSent) {
  auto m = machines({{0, 0}, {100, 0}, {0, 0}});
  Rounds rounds(m, 2);
  rounds.run(10);
  const auto second = rounds.run(10);
  EXPECT_THAT(second.answered, ElementsAre(1, 0));  // the answer to this round, not to the first
  // Two uploads and two gradients of the first round's, and two uploads of the second's.
  EXPECT_THAT(m.bytes_per_client() * 3, DoubleNear(10.0 * 6, kExact));
}

TEST_F(HandWorked, UploadsThatMeetShareTheServersLink) {
  auto m = machines({{0}, {0}, {0}});
  Rounds rounds(m, 2);
  // Clients 1 and 2 send at 1: the first is in at 1.5, the second at 2.
  EXPECT_THAT(rounds.run(10).closed, DoubleNear(5, kExact));
}

}  // namespace
}  // namespace fedvs::baselines
