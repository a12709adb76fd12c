#include "fedvs/deploy/confirmation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>

#include "fedvs/deploy/admission.h"
#include "fedvs/deploy/hex.h"
#include "tests/deploy/parties.h"

namespace fedvs::deploy {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Confirmation : public Parties {
 protected:
  void SetUp() override { whole_dance(); }
  std::filesystem::path place() const { return folder_ / "lab"; }
  std::string print() { return grouped(fingerprint(roster())); }
  void expect_error(ErrorCode code, const std::string& said, const std::string& why) {
    const auto status = confirm_roster(place(), roster(), said);
    ASSERT_FALSE(status) << said;
    EXPECT_EQ(status.error().code, code) << said;
    EXPECT_THAT(status.error().message, HasSubstr(why));
  }
};

TEST_F(Confirmation, IsAskedForOnceAndThenRemembered) {
  expect_error(ErrorCode::kBadJob, "", print());
  expect_error(ErrorCode::kBadJob, "", "on the phone");
  ASSERT_TRUE(confirm_roster(place(), roster(), print()));
  EXPECT_TRUE(confirm_roster(place(), roster(), ""));
  EXPECT_TRUE(confirm_roster(place(), roster(), print()));
}

TEST_F(Confirmation, MayBeGroupedAndWrittenInAnyWay) {
  std::string said;
  for (const char c : print()) {
    said += c == ' ' ? ':' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  EXPECT_TRUE(confirm_roster(place(), roster(), said));
}

TEST_F(Confirmation, AnotherOneIsRefusedAlsoAfterTheRightOne) {
  std::string other = print();
  other[0] = other[0] == '0' ? '1' : '0';
  expect_error(ErrorCode::kRefused, other, "do not start");
  expect_error(ErrorCode::kBadJob, "", print());  // nothing was remembered
  ASSERT_TRUE(confirm_roster(place(), roster(), print()));
  expect_error(ErrorCode::kRefused, other, "do not start");
  for (const char* none : {"e2d0", "what?", "0"}) {
    expect_error(ErrorCode::kBadJob, none, "sixteen groups");
  }
}

TEST_F(Confirmation, AnotherRosterMustBeComparedAgain) {
  ASSERT_TRUE(confirm_roster(place(), roster(), print()));
  Roster other = roster();
  other.clients[1].sealing_key = seal::KeyPair::generate().public_key;
  const auto status = confirm_roster(place(), other, "");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kRefused);
  EXPECT_THAT(status.error().message, AllOf(HasSubstr("another roster than the one"),
                                            HasSubstr(grouped(fingerprint(other)))));
}

TEST_F(Confirmation, IsCarriedOverToRenewedCertificatesAndToNothingElse) {
  ASSERT_TRUE(confirm_roster(place(), roster(), print()));
  const Roster before = roster();
  Roster address = before;
  address.server.port += 1;
  ASSERT_TRUE(carry_confirmation(place(), before, address));
  EXPECT_FALSE(confirm_roster(place(), address, ""));
  Roster swapped = before;
  std::swap(swapped.clients[0].certificate, swapped.clients[1].certificate);
  ASSERT_TRUE(carry_confirmation(place(), before, swapped));
  EXPECT_FALSE(confirm_roster(place(), swapped, ""));
  EXPECT_TRUE(confirm_roster(place(), before, ""));
}

TEST_F(Confirmation, OutlivesARenewalThatIsAccepted) {
  ASSERT_TRUE(confirm_roster(place(), roster(), print()));
  std::vector<Request> requests;
  for (const auto& name : kNames) {
    const auto file = folder_ / name / (name + ".request");
    requests.push_back(parse_request(contents_of(file), "request").value());
  }
  const Digest before = fingerprint(roster());
  ASSERT_TRUE(admit_now(requests, {.days = 700}));
  ASSERT_NE(fingerprint(roster()), before);
  ASSERT_TRUE(accept_roster(place(), roster(), false, kNow));
  EXPECT_TRUE(confirm_roster(place(), roster(), ""));
}

}  // namespace
}  // namespace fedvs::deploy
