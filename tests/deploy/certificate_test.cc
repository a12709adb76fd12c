#include "fedvs/deploy/certificate.h"

#include <gmock/gmock.h>

#include "fedvs/deploy/authority.h"
#include "fedvs/deploy/utc_time.h"
#include "tests/deploy/openssl_command.h"

namespace fedvs::deploy {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::time_t kNow = std::time(nullptr);
const Validity kYear = Validity::days_from(kNow, 365);

class Certificates : public testing::Test {
 protected:
  Authority authority_ = Authority::make("Test authority", kYear);
  PrivateKey key_ = PrivateKey::generate();
  Certificate client_ =
      authority_.certify_client(SigningRequest::make(key_, "hospital-a"), "hospital-a", kYear);
  Certificate server_ = authority_.certify_server(key_, {"lab.example.org", 7443}, kYear);

  // `openssl verify` of a certificate by an authority, with more arguments.
  Said verify(const Certificate& authority, const Certificate& certificate,
              std::vector<std::string> more = {}) {
    put(folder_ / "ca.crt", authority.pem());
    put(folder_ / "a.crt", certificate.pem());
    std::vector<std::string> words{"verify", "-x509_strict", "-CAfile", folder_ / "ca.crt"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(folder_ / "a.crt");
    return openssl(words);
  }
  std::string shown(const Certificate& certificate, const std::string& what) {
    put(folder_ / "a.crt", certificate.pem());
    return openssl({"x509", "-in", folder_ / "a.crt", "-noout", what}).text;
  }

  ScratchFolder folder_;
};

TEST_F(Certificates, AreVerifiedByOpensslForTheirPurposeOnly) {
  for (const auto& [certificate, good, bad] :
       {std::tuple{client_, "sslclient", "sslserver"}, {server_, "sslserver", "sslclient"}}) {
    const Said said = verify(authority_.certificate, certificate, {"-purpose", good});
    EXPECT_EQ(said.status, 0) << said.text;
    EXPECT_NE(verify(authority_.certificate, certificate, {"-purpose", bad}).status, 0);
  }
}

TEST_F(Certificates, AreRefusedByOpensslAfterTheirTimeAndByAnotherAuthority) {
  const std::string late = std::to_string(kNow + 366 * kDay);
  EXPECT_THAT(verify(authority_.certificate, client_, {"-attime", late}).text,
              HasSubstr("expired"));
  // Given an authority of the same name with another key,
  const auto other = Authority::make("Test authority", kYear);
  EXPECT_NE(verify(other.certificate, client_).status, 0);
  EXPECT_FALSE(client_.issued_by(other.certificate));
  EXPECT_TRUE(client_.issued_by(authority_.certificate));
}

TEST_F(Certificates, OfAClientCertifyNobodyElse) {
  const Authority pretender{client_, key_};
  const auto forged =
      pretender.certify_client(SigningRequest::make(PrivateKey::generate(), "b"), "b", kYear);
  put(folder_ / "chain.crt", client_.pem());
  EXPECT_NE(verify(authority_.certificate, forged, {"-untrusted", folder_ / "chain.crt"}).status,
            0);
  EXPECT_FALSE(forged.issued_by(authority_.certificate));
  EXPECT_FALSE(forged.issued_by(client_));
}

TEST_F(Certificates, OfTheServerHoldForItsHost) {
  for (const auto& [host, flag, other] :
       {std::tuple{"lab.example.org", "-verify_hostname", "lab.example.com"},
        {"192.0.2.7", "-verify_ip", "192.0.2.8"},
        {"2001:db8::7", "-verify_ip", "2001:db8::8"}}) {
    const auto made = authority_.certify_server(key_, {host, 7443}, kYear);
    EXPECT_EQ(verify(authority_.certificate, made, {flag, host}).status, 0) << host;
    EXPECT_NE(verify(authority_.certificate, made, {flag, other}).status, 0) << host;
  }
  // On one machine, its own names are all the same.
  const auto local = authority_.certify_server(key_, {"127.0.0.1", 7443}, kYear);
  EXPECT_EQ(verify(authority_.certificate, local, {"-verify_hostname", "localhost"}).status, 0);
  EXPECT_EQ(verify(authority_.certificate, local, {"-verify_ip", "127.0.0.1"}).status, 0);
  EXPECT_EQ(verify(authority_.certificate, local, {"-verify_ip", "::1"}).status, 0);
}

TEST_F(Certificates, ShowWhatOpensslShows) {
  put(folder_ / "a.crt", client_.pem());
  const std::string said =
      openssl({"x509", "-in", folder_ / "a.crt", "-noout", "-fingerprint", "-sha256"}).text;
  std::string hex;
  for (const char c : said.substr(said.find('=') + 1)) {
    if (std::isxdigit(static_cast<unsigned char>(c))) hex += static_cast<char>(std::tolower(c));
  }
  EXPECT_EQ(to_hex(client_.fingerprint()), hex);
  EXPECT_EQ(client_.common_name(), "hospital-a");
  EXPECT_THAT(shown(client_, "-subject"), HasSubstr("CN = hospital-a"));
  EXPECT_EQ(client_.expires(), kYear.to);
  EXPECT_EQ(client_.begins(), kYear.from);
  EXPECT_EQ(client_.public_key(), key_.public_key());
}

TEST_F(Certificates, GetTheNameThatTheAuthorityGives) {
  const auto made = authority_.certify_client(SigningRequest::make(key_, "boss"), "clerk", kYear);
  EXPECT_EQ(made.common_name(), "clerk");
}

TEST_F(Certificates, AreOutOfDateBeforeAndAfterTheirTime) {
  EXPECT_TRUE(check_dates(client_, "a's", kNow));
  EXPECT_TRUE(check_dates(client_, "a's", kYear.to));
  const Status late = check_dates(client_, "a's", kYear.to + 1);
  EXPECT_EQ(late.error().code, ErrorCode::kRefused);
  EXPECT_THAT(late.error().message, AllOf(HasSubstr("a's certificate expired"),
                                          HasSubstr(utc_text(kYear.to)), HasSubstr("--admit")));
  EXPECT_THAT(check_dates(client_, "a's", kYear.from - 1).error().message, HasSubstr("clock"));
}

TEST_F(Certificates, AreReadBackFromPemAndNothingElseIs) {
  EXPECT_EQ(Certificate::from_pem(client_.pem(), "x")->fingerprint(), client_.fingerprint());
  const std::string request = SigningRequest::make(key_, "a").pem();
  for (const std::string& bad : {std::string(), std::string("text"), request,
                                 client_.pem().substr(0, 200), std::string(key_.pem().view())}) {
    EXPECT_EQ(Certificate::from_pem(bad, "x").error().code, ErrorCode::kRefused);
  }
}

TEST_F(Certificates, OfOtherKindsOfKeysAreRefused) {
  ASSERT_EQ(openssl({"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
                     folder_ / "rsa.key", "-out", folder_ / "rsa.crt", "-subj", "/CN=a"})
                .status,
            0);
  const auto rsa = Certificate::from_pem(contents_of(folder_ / "rsa.crt"), "rsa.crt");
  ASSERT_FALSE(rsa);
  EXPECT_THAT(rsa.error().message, HasSubstr("P-256"));
  EXPECT_FALSE(PrivateKey::from_pem(contents_of(folder_ / "rsa.key"), "rsa.key"));
}

TEST_F(Certificates, VerifyWhatTheirKeySignedAndNothingElse) {
  const std::string signature = key_.sign("text");
  EXPECT_TRUE(client_.verifies("text", signature));
  EXPECT_FALSE(client_.verifies("texT", signature));
  EXPECT_FALSE(client_.verifies("text", ""));
  EXPECT_FALSE(client_.verifies("text", signature.substr(1)));
  EXPECT_FALSE(client_.verifies("text", PrivateKey::generate().sign("text")));
  EXPECT_FALSE(authority_.certificate.verifies("text", signature));
}

TEST_F(Certificates, RequestsAreVerifiedByOpensslAndByUs) {
  const auto request = SigningRequest::make(key_, "hospital-a");
  put(folder_ / "a.csr", request.pem());
  const Said said = openssl({"req", "-in", folder_ / "a.csr", "-noout", "-verify"});
  EXPECT_EQ(said.status, 0) << said.text;
  const auto read = SigningRequest::from_pem(request.pem(), "x").value();
  EXPECT_EQ(read.common_name(), "hospital-a");
  EXPECT_EQ(read.public_key(), key_.public_key());
}

TEST_F(Certificates, RequestsWithAnyByteChangedAreRefused) {
  const std::string pem = SigningRequest::make(key_, "hospital-a").pem();
  const auto begin = pem.find('\n') + 1, end = pem.rfind("\n-----END");
  for (std::size_t i = begin; i < end; ++i) {
    std::string changed = pem;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    if (changed == pem || pem[i] == '\n' || pem[i] == '=') continue;
    const auto read = SigningRequest::from_pem(changed, "x");
    // The last letter of base 64 has bits that stand for nothing.
    EXPECT_TRUE(!read || read->pem() == pem) << i;
  }
}

TEST(PrivateKeys, AreReadByOpensslAndWithoutAPasswordOnly) {
  const ScratchFolder folder;
  const auto key = PrivateKey::generate();
  put(folder / "a.key", key.pem().view());
  EXPECT_EQ(openssl({"pkey", "-in", folder / "a.key", "-noout", "-check"}).status, 0);
  EXPECT_EQ(PrivateKey::from_pem(key.pem().view(), "x")->public_key(), key.public_key());
  ASSERT_EQ(openssl({"pkey", "-in", folder / "a.key", "-aes256", "-passout", "pass:x", "-out",
                     folder / "locked.key"})
                .status,
            0);
  EXPECT_FALSE(PrivateKey::from_pem(contents_of(folder / "locked.key"), "locked.key"));
}

}  // namespace
}  // namespace fedvs::deploy
