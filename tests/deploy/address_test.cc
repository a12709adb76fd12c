#include "fedvs/deploy/address.h"

#include <gmock/gmock.h>

namespace fedvs::deploy {
namespace {

TEST(Address, ReadsNamesAndBothKindsOfIpAddress) {
  EXPECT_EQ(parse_address("lab.example.org:7443").value(), (Address{"lab.example.org", 7443}));
  EXPECT_EQ(parse_address("192.0.2.7:1").value(), (Address{"192.0.2.7", 1}));
  EXPECT_EQ(parse_address("[2001:db8::7]:65535").value(), (Address{"2001:db8::7", 65535}));
  EXPECT_TRUE(parse_address("192.0.2.7:1")->is_ip());
  EXPECT_FALSE(parse_address("lab:1")->is_ip());
}

TEST(Address, IsWrittenAsItWasRead) {
  for (const char* text : {"lab.example.org:7443", "192.0.2.7:1", "[2001:db8::7]:65535"}) {
    EXPECT_EQ(parse_address(text)->text(), text);
  }
}

TEST(Address, OnlyLoopbackIsLoopback) {
  for (const char* text : {"localhost:1", "127.0.0.1:1", "127.9.8.7:1", "[::1]:1"}) {
    EXPECT_TRUE(parse_address(text)->is_loopback()) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "128.0.0.1:1", "127.example.org:1",
                           "localhost.example.org:1", "[::ffff:192.0.2.1]:1"}) {
    EXPECT_FALSE(parse_address(text)->is_loopback()) << text;
  }
}

TEST(Address, RefusesWhatCannotBeConnectedTo) {
  for (const char* text : {"", "lab", "lab:", ":7443", "lab:65536", "lab:-1", "lab:12x", "lab: 12",
                           "2001:db8::7:1", "[lab]:1", "[]:1", "la b:1", "a..b:1", "-a:1", "a-:1",
                           "1.2.3:1", "256.1.1.1:1", "lab/x:1", "DNS:lab,IP:1.2.3.4:1"}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().code, ErrorCode::kBadJob);
    EXPECT_THAT(address.error().message, testing::HasSubstr("write host:port")) << text;
  }
}

}  // namespace
}  // namespace fedvs::deploy
