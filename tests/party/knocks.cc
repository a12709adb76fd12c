#include "tests/party/knocks.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <iterator>
#include <memory>

#include "fedvs/base/check.h"

namespace fedvs::party::testing {
namespace {

struct Free {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* session) const { SSL_free(session); }
};

int connect_to(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  FEDVS_CHECK(socket >= 0 && ::connect(socket, reinterpret_cast<const sockaddr*>(&address),
                                       sizeof address) == 0,
              "the server listens");
  const timeval patience{.tv_sec = 60, .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return socket;
}

// Under TLS 1.3 the client has done its part before the server looks for a certificate: what the
// server thinks of it is in the answer.
bool is_let_in(SSL_CTX* context, int socket) {
  const std::unique_ptr<SSL, Free> session(SSL_new(context));
  SSL_set_fd(session.get(), socket);
  if (SSL_connect(session.get()) != 1) return false;
  constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
  SSL_write(session.get(), kPreface, sizeof kPreface - 1);
  char answer[16];
  return SSL_read(session.get(), answer, sizeof answer) > 0;
}

}  // namespace

std::size_t knock_without_certificate(int port, std::size_t times) {
  std::signal(SIGPIPE, SIG_IGN);
  const std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_NONE, nullptr);
  constexpr unsigned char kHttp2[] = {2, 'h', '2'};
  SSL_CTX_set_alpn_protos(context.get(), kHttp2, sizeof kHttp2);
  std::size_t let_in = 0;
  for (std::size_t i = 0; i < times; ++i) {
    const int socket = connect_to(port);
    let_in += is_let_in(context.get(), socket) ? 1 : 0;
    ::close(socket);
  }
  return let_in;
}

Loiterers::Loiterers(int port, std::size_t count, const std::string& words) {
  FEDVS_CHECK(count <= std::size(sockets_), "as many as there is room for");
  for (; count_ < count; ++count_) {
    sockets_[count_] = connect_to(port);
    static_cast<void>(::send(sockets_[count_], words.data(), words.size(), MSG_NOSIGNAL));
  }
}

Loiterers::~Loiterers() {
  for (std::size_t i = 0; i < count_; ++i) ::close(sockets_[i]);
}

}  // namespace fedvs::party::testing
