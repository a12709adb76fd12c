#include "fedvs/deploy/roster.h"

#include "fedvs/deploy/hex.h"
#include "fedvs/job/print.h"
#include "tests/deploy/parties.h"

namespace fedvs::deploy {
namespace {

class Rosters : public Parties {
 protected:
  void SetUp() override {
    invite();
    ASSERT_TRUE(admit_now(join_all()));
    text_ = contents_of(server() / "roster.toml");
  }
  Result<Roster> with(const std::string& from, const std::string& to) const {
    const auto at = text_.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return parse_roster(std::string(text_).replace(at, from.size(), to), "x");
  }
  std::string text_;
};

TEST_F(Rosters, NameAllClientsInTheOrderOfTheirNumbers) {
  const Roster r = roster();
  ASSERT_EQ(r.clients.size(), 3u);
  for (int n = 0; n < 3; ++n) {
    const auto& name = kNames[static_cast<std::size_t>(n)];
    EXPECT_EQ(r.clients[static_cast<std::size_t>(n)].name, name);
    EXPECT_EQ(number_of(r, name), n);
    EXPECT_EQ(find_client(r, name), &r.clients[static_cast<std::size_t>(n)]);
  }
  EXPECT_EQ(number_of(r, "nobody"), -1);
  EXPECT_EQ(find_client(r, "nobody"), nullptr);
  EXPECT_FALSE(r.trial);
  EXPECT_EQ(r.job_digest, job_digest(small_deployment().job));
}

TEST_F(Rosters, ReadBackAsTheyWere) {
  EXPECT_EQ(print_roster(roster()), text_);
  EXPECT_EQ(fingerprint(parse_roster("# mailed\n" + text_, "x").value()), fingerprint(roster()));
}

TEST_F(Rosters, FingerprintCoversEverythingButTheSignature) {
  const Roster r = roster();
  Roster again = r, other_server = r, trial = r, other_key = r, other_order = r;
  again.signature = "another";
  other_server.server.port = 1;
  trial.trial = true;
  other_key.clients[1].sealing_key[0] ^= 1;
  std::swap(other_order.clients[0], other_order.clients[1]);
  EXPECT_EQ(fingerprint(again), fingerprint(r));
  for (const Roster& other : {other_server, trial, other_key, other_order}) {
    EXPECT_NE(fingerprint(other), fingerprint(r));
  }
}

TEST_F(Rosters, OneWithoutTheServersSigningKeyIsOfAnOlderVersion) {
  const auto from = text_.find("signing_key"), to = text_.find('\n', from);
  ASSERT_NE(from, std::string::npos);
  expect_refused(parse_roster(std::string(text_).erase(from, to - from + 1), "x"),
                 "older version of FedVS");
  Roster other = roster();
  other.signing_key[0] ^= 1;
  EXPECT_NE(fingerprint(other), fingerprint(roster()));
}

TEST_F(Rosters, AnyChangedValueIsRefused) {
  const Roster r = roster();
  expect_refused(with("trial = false", "trial = true"), "changed");
  expect_refused(with("study.example.org", "evil.example.org"), "changed");
  // The job's digest is part of clients' fingerprints.
  expect_refused(with(to_hex(r.job_digest), std::string(64, 'a')), "fingerprint");
  expect_refused(
      with(to_hex(r.clients[1].sealing_key), to_hex(seal::KeyPair::generate().public_key)),
      "fingerprint");
  expect_refused(with(r.clients[1].certificate.pem(), r.clients[2].certificate.pem()),
                 "another name");
  expect_refused(with("[signature]\nvalue = \"30", "[signature]\nvalue = \"31"), "changed");
  expect_refused(with("[signature]", "[signed]"), "signature is missing");
}

TEST_F(Rosters, SignedByAnotherAuthorityAreRefused) {
  Roster forged = roster();
  forged.clients[1].sealing_key = seal::KeyPair::generate().public_key;
  sign(forged, PrivateKey::generate());
  expect_refused(parse_roster(print_roster(forged), "x"), "changed");
}

TEST_F(Rosters, WithCertificatesOfAnotherAuthorityAreRefused) {
  // Given an authority that signs a roster with a certificate that it has not issued,
  const auto authority = load_authority(server()).value();
  const auto other = Authority::make("other", Validity::days_from(kNow, 1));
  Roster forged = roster();
  forged.clients[0].certificate =
      other.certify_client(SigningRequest::make(PrivateKey::generate(), kNames[0]), kNames[0],
                           Validity::days_from(kNow, 1));
  sign(forged, authority.key);
  expect_refused(parse_roster(print_roster(forged), "x"), "not issued by the roster's authority");
}

TEST_F(Rosters, WithOneKeyForTwoAreRefused) {
  const auto authority = load_authority(server()).value();
  Roster forged = roster();
  forged.clients[0].sealing_key = forged.clients[1].sealing_key;
  sign(forged, authority.key);
  expect_refused(parse_roster(print_roster(forged), "x"), "same key");
}

TEST_F(Rosters, IdentifyPeersByTheirCertificates) {
  const Roster r = roster();
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(identify(r, r.clients[static_cast<std::size_t>(n)].certificate.pem(), kNow).value(),
              n);
  }
}

TEST_F(Rosters, IdentifyNobodyElse) {
  const Roster r = roster();
  const auto authority = load_authority(server()).value();
  // Given a certificate of the right authority in a client's name, but not the roster's,
  const auto other = authority.certify_client(SigningRequest::make(PrivateKey::generate(), "lab"),
                                              "lab", Validity::days_from(kNow, 1));
  expect_refused(identify(r, other.pem(), kNow), "not in the roster");
  expect_refused(identify(r, r.clients[0].certificate.pem(), kNow + 366 * kDay),
                 "hospital-a's certificate expired");
  expect_refused(identify(r, r.authority.pem(), kNow), "not in the roster");
  expect_refused(identify(r, "", kNow), "no certificate");
}

TEST_F(Rosters, OfTrialsHoldOnLoopbackOnly) {
  Roster r = roster();
  EXPECT_TRUE(check_trial(r, {"0.0.0.0", 1}));
  r.trial = true;
  for (const char* here : {"localhost", "127.0.0.1", "::1"}) {
    EXPECT_TRUE(check_trial(r, {here, 1}));
  }
  for (const char* there : {"0.0.0.0", "::", "192.0.2.7", "study.example.org"}) {
    expect_refused(check_trial(r, {there, 1}), "trial");
  }
}

TEST(Fingerprints, AreReadInSixteenGroupsOfFour) {
  Digest digest{};
  digest[0] = 0xab;
  digest[31] = 0x01;
  EXPECT_EQ(grouped(digest),
            "ab00 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0001");
}

}  // namespace
}  // namespace fedvs::deploy
