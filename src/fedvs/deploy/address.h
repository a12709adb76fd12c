// Where the server listens: "lab.example.org:7443", "192.0.2.7:7443", "[2001:db8::7]:7443".
#pragma once
#include <string>
#include <string_view>

#include "fedvs/base/result.h"

namespace fedvs::deploy {

struct Address {
  std::string host;  // a name or an IP address, without brackets
  int port = 0;      // 0: whichever is free; in trials only
  std::string text() const;
  bool is_ip() const;
  bool is_loopback() const;  // localhost, 127.0.0.0/8 or ::1: nobody else can connect
  bool operator==(const Address&) const = default;
};

Result<Address> parse_address(std::string_view text);  // kBadJob

}  // namespace fedvs::deploy
