// A peer of the status endpoint that need not keep to HTTP.
#pragma once
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "fedvs/base/check.h"

namespace fedvs::status {

class RawConnection {
 public:
  explicit RawConnection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    FEDVS_CHECK(::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0,
                "the endpoint takes connections");
  }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;
  ~RawConnection() { ::close(socket_); }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  std::string receive_all() {  // until the other side ends it
    std::string all;
    char bytes[4096];
    for (ssize_t got; (got = ::recv(socket_, bytes, sizeof bytes, 0)) > 0;) {
      all.append(bytes, static_cast<std::size_t>(got));
    }
    return all;
  }

 private:
  int socket_;
};

}  // namespace fedvs::status
