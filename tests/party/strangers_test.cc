// Strangers at the door in the middle of a run: each is refused with a reason in the log, and the
// run ends as it would have without them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fedvs/deploy/authority.h"
#include "fedvs/deploy/server_folder.h"
#include "tests/net/transport/raw_client.h"
#include "tests/party/disturbed_run.h"
#include "tests/party/knocks.h"

namespace fedvs::party::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using transport::testing::RawClient;
using Strangers = DisturbedRun;

deploy::Validity today() { return deploy::Validity::days_from(std::time(nullptr), 1); }
deploy::Validity yesterday() {
  const std::time_t now = std::time(nullptr);
  return {now - 3 * 86400, now - 86400};
}

transport::Tls certified_by(const deploy::Authority& authority, const std::string& name,
                            deploy::Validity validity, const std::string& server_authority) {
  const auto key = deploy::PrivateKey::generate();
  const auto request = deploy::SigningRequest::make(key, name);
  return {.ca_pem = server_authority,
          .certificate_pem = authority.certify_client(request, name, validity).pem(),
          .key_pem = std::string(key.pem().view())};
}

// What the server tells somebody who attends with this certificate.
grpc::Status attend(const std::string& address, const transport::Tls& tls) {
  RawClient client(address, tls);
  return client.finish();
}

TEST_F(Strangers, AtTheDoorAreRefusedAndTheRunGoesOn) {
  begin();
  const auto authority = deploy::load_authority(run_.trial().server).value();
  const std::string ca = authority.certificate.pem();
  const auto foreign = deploy::Authority::make("fedvs", today());

  EXPECT_EQ(
      attend(run_.address(), {.ca_pem = ca, .certificate_pem = "", .key_pem = ""}).error_code(),
      grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(run_.log().wait_for("peer did not return a certificate"));

  const auto of_another = certified_by(foreign, Rehearsal::name(0), today(), ca);
  EXPECT_EQ(attend(run_.address(), of_another).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(run_.log().wait_for("certificate verify failed", 1));

  const auto expired = certified_by(authority, Rehearsal::name(0), yesterday(), ca);
  EXPECT_EQ(attend(run_.address(), expired).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_TRUE(run_.log().wait_for("certificate verify failed", 2));

  // The right authority, even the right name, but not the certificate that all have agreed on.
  const auto unknown = certified_by(authority, Rehearsal::name(0), today(), ca);
  const auto told = attend(run_.address(), unknown);
  EXPECT_EQ(told.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(told.error_message(), HasSubstr("is not in the roster"));
  EXPECT_TRUE(run_.log().wait_for("refused a connection"));
  expect_progress();
  EXPECT_THAT(notes_with("refused"), IsEmpty());
  EXPECT_THAT(notes_with("disconnected"), IsEmpty());
  expect_unharmed_end();
}

TEST_F(Strangers, AThousandKnocksHoldNobodyUp) {
  begin();
  const auto before = run_.log().count("peer did not return a certificate");
  const Loiterers silent(run_.port(), 200, "");
  const Loiterers lost(run_.port(), 100, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(knock_without_certificate(run_.port(), 1000), 0u);
  EXPECT_TRUE(run_.log().wait_for("peer did not return a certificate", before + 1000));
  expect_progress();
  EXPECT_THAT(notes_with("refused"), IsEmpty());
  EXPECT_THAT(notes_with("disconnected"), IsEmpty());
  expect_unharmed_end();
}

}  // namespace
}  // namespace fedvs::party::testing
