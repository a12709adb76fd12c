// Which chunks of others' rows a client asks for, and when.
#include "fedvs/protocol/client/row_fetcher.h"

#include <gmock/gmock.h>

#include "fedvs/protocol/chunks.h"
#include "tests/support/agreement_fixture.h"

namespace fedvs::protocol {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kSender = 3;
Chunk train(std::size_t chunk) { return {data::Part::kTrain, chunk * kChunkRows}; }

// K = 2, and six chunks of training rows before one of validation and one of test rows.
class RowFetcherTest : public ::testing::Test {
 protected:
  const Agreement agreement_ = testing::small_agreement({}, 12 * kChunkRows);
  HeldRows held_{agreement_};
  RowFetcher fetcher_{agreement_};
};

TEST_F(RowFetcherTest, AsksForFourChunksAtOnceAndForOneMoreWhenOneCame) {
  EXPECT_THAT(fetcher_.begin(kSender, held_), ElementsAre(train(0), train(1), train(2), train(3)));
  EXPECT_THAT(fetcher_.go_on(kSender, held_), IsEmpty());
  held_.add(kSender, train(2), {});
  EXPECT_THAT(fetcher_.go_on(kSender, held_), ElementsAre(train(4)));
}

TEST_F(RowFetcherTest, AsksForNothingThatIsHeld) {
  held_.add(kSender, train(0), {});
  EXPECT_THAT(fetcher_.begin(kSender, held_), ElementsAre(train(1), train(2), train(3), train(4)));
}

TEST_F(RowFetcherTest, AsksTheNewLifeOfASenderForWhatItsOldOneWasAsked) {
  fetcher_.begin(kSender, held_);
  held_.add(kSender, train(1), {});
  EXPECT_THAT(fetcher_.ask_anew(kSender, held_),
              ElementsAre(train(3), train(2), train(1), train(0)));
}

TEST_F(RowFetcherTest, RepeatsWhatWasAskedForAndHasNotCome) {
  EXPECT_THAT(fetcher_.repeat(kSender, held_), IsEmpty());
  fetcher_.begin(kSender, held_);
  held_.add(kSender, train(0), {});
  EXPECT_THAT(fetcher_.repeat(kSender, held_), ElementsAre(train(1), train(2), train(3)));
}

TEST_F(RowFetcherTest, SendersDoNotWaitForEachOther) {
  fetcher_.begin(kSender, held_);
  EXPECT_THAT(fetcher_.begin(0, held_), ElementsAre(train(0), train(1), train(2), train(3)));
}

}  // namespace
}  // namespace fedvs::protocol
