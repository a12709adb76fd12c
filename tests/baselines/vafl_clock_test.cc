// The arrivals of vafl, worked out by hand.
#include <gmock/gmock.h>

#include "fedvs/baselines/arrivals.h"

namespace fedvs::baselines {
namespace {

// Two clients, batches of 10 rows: 1 s to embed, 2 s to learn and embed again, 0.5 s on a link, and
// the server learns in 0.3 s. Client 2's uploads are delayed by 2 s.
class TwoClients : public ::testing::Test {
 protected:
  static SimJob speeds() {
    SimJob job;
    job.client_gmacs = job.server_gmacs = 1e-9;
    job.bandwidth_mbps = 8e-6 * 20;
    return job;
  }
  Machines machines_{speeds(), [](int n, std::uint64_t) { return n == 1 ? 2.0 : 0.0; },
                     RowCosts{.client_macs = {0.1, 0.1}, .central_macs = 0.01, .bytes = 1}};
  Arrivals arrivals_{machines_, [](int, std::uint64_t) { return std::size_t{10}; }};
};

TEST_F(TwoClients, EachGoesOnAtItsOwnPace) {
  // Client 1: in at 1.5, learned 1.8, gradient back 2.3, next sent 4.3, in 4.8, learned 5.1.
  // Client 2: sent at 3, in 3.5, learned 3.8.
  const auto first = arrivals_.next(), second = arrivals_.next(), third = arrivals_.next();
  EXPECT_EQ(first.client, 0);
  EXPECT_EQ(first.step, 0u);
  EXPECT_NEAR(first.learned, 1.8, 1e-12);
  EXPECT_EQ(second.client, 1);
  EXPECT_NEAR(second.learned, 3.8, 1e-12);
  EXPECT_EQ(third.client, 0);
  EXPECT_EQ(third.step, 1u);
  EXPECT_NEAR(third.arrived, 4.8, 1e-12);
  EXPECT_NEAR(third.learned, 5.1, 1e-12);
}

TEST_F(TwoClients, HaveOneUploadOutstandingEach) {
  std::uint64_t next[2] = {0, 0};
  for (int i = 0; i < 40; ++i) {
    const auto arrival = arrivals_.next();
    EXPECT_EQ(arrival.step, next[arrival.client]++);
  }
  EXPECT_GT(next[0], next[1]);  // the fast one has come more often
}

}  // namespace
}  // namespace fedvs::baselines
