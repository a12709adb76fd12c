// Uploads that come after the opening of their plan.
#include "fedvs/protocol/server/upload_box.h"

#include <gmock/gmock.h>

#include "fedvs/coding/encoder.h"
#include "tests/support/agreement_fixture.h"
#include "tests/support/coded_sum.h"

namespace fedvs::protocol {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Seven clients, R = 5; a plan of two rows that five of them have opened. Uploads are shares of a
// zero mask: they lie on one polynomial.
class LateUploads : public ::testing::Test {
 protected:
  LateUploads() {
    Prng random(Key256{1});
    shares_ =
        coding::encode_hidden(code_, coding::Polynomial::kMask, {}, 2, agreement_.width, random);
    box_.expect(plan(0));
    for (int client = 0; client < 5; ++client) EXPECT_TRUE(box_.add(upload(client)));
    box_.close();
    EXPECT_TRUE(box_.open());
  }
  static std::shared_ptr<const Plan> plan(std::uint64_t revision) {
    Plan made;
    made.revision = revision;
    made.rows = {3, 4};
    return std::make_shared<const Plan>(made);
  }
  MessagePtr message(int client, field::RingMatrix values) const {
    return make_message(
        Upload{.from = client,
               .revision = 0,
               .values = std::make_shared<const field::RingMatrix>(std::move(values)),
               .holdings = {}});
  }
  MessagePtr upload(int client) const {
    return message(client, shares_[static_cast<std::size_t>(client)].clone());
  }
  MessagePtr wrong_upload(int client) const {
    auto values = shares_[static_cast<std::size_t>(client)].clone();
    testing::spoil(values, 0, 1, 1);
    return message(client, std::move(values));
  }

  Agreement agreement_ = testing::small_agreement();
  coding::LagrangeCode code_ =
      coding::LagrangeCode::create(agreement_.ring, agreement_.shape).value();
  UploadBox box_{agreement_, code_};
  std::vector<field::RingMatrix> shares_;
};

// Whoever computed for another plan than the server's, by a cheat of its own or of somebody between
// them, is found out before its numbers are mixed with others.
TEST(UploadBox, TakesNoUploadThatWasComputedForAnotherPlan) {
  const Agreement agreement = testing::small_agreement();
  const auto code = coding::LagrangeCode::create(agreement.ring, agreement.shape).value();
  UploadBox box(agreement, code);
  Plan plan;
  plan.rows = {3, 4};
  box.expect(std::make_shared<const Plan>(plan));
  box.expect_tag(Digest{1});
  const auto upload = [&](const Digest& tag) {
    return make_message(Upload{
        .from = 2,
        .revision = 0,
        .tag = tag,
        .values = std::make_shared<const field::RingMatrix>(agreement.ring, 2, agreement.width),
        .holdings = {}});
  };
  EXPECT_THAT(box.add(upload(Digest{2})).error().message,
              ::testing::HasSubstr("client 3 uploaded for another content"));
  EXPECT_EQ(box.count(), 0);
  EXPECT_TRUE(box.add(upload(Digest{1})));
  EXPECT_EQ(box.count(), 1);
}

TEST(UploadBox, SaysWhatIsWrongWithAnUploadForTheOpenPlan) {
  const Agreement agreement = testing::small_agreement();
  const auto code = coding::LagrangeCode::create(agreement.ring, agreement.shape).value();
  UploadBox box(agreement, code);
  Plan plan;
  plan.revision = 7;
  plan.rows = {3, 4};
  box.expect(std::make_shared<const Plan>(plan));
  const auto upload = [&](std::uint64_t revision, std::size_t rows) {
    return make_message(Upload{
        .from = 2,
        .revision = revision,
        .values = std::make_shared<const field::RingMatrix>(agreement.ring, rows, agreement.width),
        .holdings = {}});
  };
  EXPECT_EQ(box.add(upload(7, 1)).error().message, "client 3 uploaded 1 x 3 values for 2 x 3");
  EXPECT_TRUE(box.add(upload(7, 2)));
  EXPECT_EQ(box.add(upload(7, 2)).error().message, "client 3 has uploaded twice for revision 7");
  EXPECT_EQ(box.count(), 1);
  EXPECT_TRUE(box.is_open(7));
  EXPECT_FALSE(box.is_open(6));
  box.close();
  EXPECT_FALSE(box.is_open(7));
  EXPECT_FALSE(box.add(upload(7, 2)));
}

TEST_F(LateUploads, AreCheckedAgainstTheOpenedPolynomial) {
  box_.keep_late(upload(5));
  EXPECT_THAT(box_.check_late(), IsEmpty());
  box_.keep_late(wrong_upload(6));
  EXPECT_THAT(box_.check_late(), SizeIs(1));
  EXPECT_THAT(box_.check_late(), IsEmpty());  // once
}

TEST_F(LateUploads, TwoTellWhichIsWrong) {
  box_.keep_late(upload(5));
  box_.keep_late(wrong_upload(6));
  const auto found = box_.check_late();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].wrong, std::vector{6});
  EXPECT_FALSE(found[0].was_opened);
}

TEST_F(LateUploads, CountOncePerClientHoweverOftenTheyCome) {
  for (int i = 0; i < 3; ++i) box_.keep_late(wrong_upload(6));
  for (int i = 0; i < 3; ++i) box_.keep_late(wrong_upload(0));  // its first was opened
  EXPECT_THAT(box_.check_late(), SizeIs(1));
}

TEST_F(LateUploads, OfAnotherSizeAreIgnored) {
  box_.keep_late(
      message(5, field::RingMatrix(agreement_.ring, agreement_.most_rows(), agreement_.width)));
  box_.keep_late(message(6, field::RingMatrix(agreement_.ring, 2, 1)));
  EXPECT_THAT(box_.check_late(), IsEmpty());
}

TEST_F(LateUploads, AreCheckedAlsoWhenTheNextPlanWasRevised) {
  box_.keep_late(wrong_upload(6));
  box_.expect(plan(1));
  box_.expect(plan(2));
  EXPECT_THAT(box_.check_late(), SizeIs(1));
}

}  // namespace
}  // namespace fedvs::protocol
