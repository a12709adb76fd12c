// Rows over a link so slow that sharing them takes many times as long as silence is suffered: the
// run waits while bytes come, tells how far it is, and ends as ever.
#include <thread>

#include "fedvs/status/text.h"
#include "tests/party/disturbed_run.h"
#include "tests/party/middle.h"

namespace fedvs::party::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kSlow = Rehearsal::kClients - 1;
constexpr double kDeadAfter = 0.5;

// Every parcel on the last lane, of rows and masks, takes a while, until it is made quick.
class SlowLink {
 public:
  explicit SlowLink(Rehearsal& run)
      : middle_(kSlow, run.address(), run.server_tls(), run.client_tls(kSlow)) {
    middle_.change_up([this](const v1::Frame& frame) -> Frames {
      constexpr std::uint32_t kBulk = 3;
      if (frame.lane() != kBulk || parcels_ >= kParcels) return {frame};
      ++parcels_;
      std::this_thread::sleep_for(kTime);
      return {frame};
    });
  }
  std::string address() const { return middle_.address(); }
  int parcels() const { return parcels_; }
  static double seconds() { return kParcels * std::chrono::duration<double>(kTime).count(); }

 private:
  static constexpr int kParcels = 30;
  static constexpr std::chrono::milliseconds kTime{300};
  std::atomic<int> parcels_ = 0;
  Middle middle_;
};

TEST(SlowSharing, LongerThanTenTimesDeadAfterIsNoReasonToEnd) {
  static_assert(kDeadAfter == 0.5);
  Rehearsal run({"protocol.dead_after=0.5"});
  run.start_server();
  SlowLink slow(run);
  ASSERT_GT(SlowLink::seconds(), 15 * kDeadAfter);
  run.start({{kSlow, slow.address()}});
  // Meanwhile the status says how far it is.
  RunStatus status;
  while (slow.parcels() < 15) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  status = run.status();
  EXPECT_EQ(status.phase, "sharing rows");
  EXPECT_LT(status.rows.shared, 1);
  EXPECT_THAT(status::status_table(status), HasSubstr("furthest behind: "));
  const auto over = run.wait();
  EXPECT_TRUE(over.server) << over.server.error().message << run.log().text();
  for (const auto& client : over.clients) {
    EXPECT_TRUE(client) << client.error().message << run.log().text();
  }
}

}  // namespace
}  // namespace fedvs::party::testing
