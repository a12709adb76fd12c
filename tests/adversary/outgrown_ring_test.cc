// A client whose model does not fit the ring says so once, and that tells the server something of
// the client's rows. It must not say it again after every restart, at another step.
#include <gmock/gmock.h>

#include "fedvs/party/refused.h"
#include "tests/party/rehearsal.h"

namespace fedvs {
namespace {

using party::testing::Rehearsal;
using ::testing::HasSubstr;

TEST(OutgrownRing, AClientThatSaidSoDoesNotComeBackByItself) {
  // Given scales so fine that no model fits.
  Rehearsal run({"data.rows=120", "train.epochs=1", "code.K=1", "code.l_x=12", "code.l_w=16"});
  run.start();
  EXPECT_FALSE(run.wait().server);
  int sticky = 0;
  for (const auto& folder : run.trial().clients) {
    const auto refused = party::check_refused(folder, /*again=*/false);
    if (refused) continue;
    ++sticky;
    EXPECT_THAT(refused.error().message, HasSubstr("has outgrown ring rns4"));
  }
  std::printf("clients that would come back: %d of %d\n", Rehearsal::kClients - sticky,
              Rehearsal::kClients);
  EXPECT_GE(sticky, 2) << "T and one more, which ends the run";
}

}  // namespace
}  // namespace fedvs
