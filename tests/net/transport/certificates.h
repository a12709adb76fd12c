// An authority and the certificates it signs, made with OpenSSL for one test.
#pragma once
#include <memory>
#include <string>

#include "fedvs/net/transport/tls.h"

namespace fedvs::transport::testing {

enum class Validity { kToday, kEnded };

class Authority {
 public:
  explicit Authority(const std::string& name);
  ~Authority();
  // A P-256 key and a certificate with this common name, good for 127.0.0.1 and `localhost`.
  Tls issue(const std::string& common_name, Validity validity = Validity::kToday) const;

 private:
  struct Keys;
  std::unique_ptr<Keys> keys_;
};

std::string common_name_of(const std::string& certificate_pem);

}  // namespace fedvs::transport::testing
