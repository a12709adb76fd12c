#include "fedvs/status/http_connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace fedvs::status {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kBuffer = 4096;
constexpr std::chrono::milliseconds kLookUp{50};  // how soon a stop is noticed

}  // namespace

HttpConnection::HttpConnection(int socket, Clock::time_point deadline, std::size_t most_read,
                               const std::atomic<bool>& stopping)
    : socket_(socket), deadline_(deadline), may_read_(most_read), stopping_(stopping) {}

HttpConnection::~HttpConnection() {
  // What was not read would turn the close into a reset, and the peer would lose the answer.
  ::shutdown(socket_, SHUT_WR);
  char rest[1024];
  for (int i = 0; i < 64 && ::recv(socket_, rest, sizeof rest, MSG_DONTWAIT) > 0;) ++i;
  ::close(socket_);
}

bool HttpConnection::wait_for(short event) const {
  while (!stopping_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    if (left.count() <= 0) return false;
    pollfd one{socket_, event, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::min(left, kLookUp).count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

bool HttpConnection::is_readable() const {
  return taken_ < received_.size() || (may_read_ > 0 && wait_for(POLLIN));
}
bool HttpConnection::is_writable() const { return wait_for(POLLOUT); }

ssize_t HttpConnection::receive() {
  received_.resize(std::min(kBuffer, may_read_));
  taken_ = 0;
  const ssize_t got = ::recv(socket_, received_.data(), received_.size(), MSG_DONTWAIT);
  received_.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  may_read_ -= received_.size();
  return got;
}

ssize_t HttpConnection::read(char* bytes, std::size_t size) {
  if (!is_readable()) return -1;
  if (taken_ == received_.size()) {
    if (const ssize_t got = receive(); got <= 0) return got;
  }
  const std::size_t given = received_.copy(bytes, size, taken_);
  taken_ += given;
  return static_cast<ssize_t>(given);
}

ssize_t HttpConnection::write(const char* bytes, std::size_t size) {
  if (!is_writable()) return -1;
  return ::send(socket_, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// Only for logs of httplib's, which we do not keep.
void HttpConnection::get_remote_ip_and_port(std::string&, int&) const {}
void HttpConnection::get_local_ip_and_port(std::string&, int&) const {}

}  // namespace fedvs::status
