#include "fedvs/cli/free_port.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>

namespace fedvs::cli {
namespace {

constexpr int kLowest = 20000, kHighest = 32767;
constexpr int kTries = 100;

bool is_free(int port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool bound =
      ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(listener);
  return bound;
}

}  // namespace

Result<int> free_loopback_port() {
  std::random_device random;  // two programs that look at the same time find different ones
  std::uniform_int_distribution<int> ports(kLowest, kHighest);
  for (int i = 0; i < kTries; ++i) {
    if (const int port = ports(random); is_free(port)) return port;
  }
  return Error{ErrorCode::kBadFile,
               fmt::format("no free port of 127.0.0.1 found between {} and {} in {} tries", kLowest,
                           kHighest, kTries)};
}

}  // namespace fedvs::cli
