// One connection of the status endpoint, bounded as a whole: httplib's own time-outs are per read,
// so that a peer who sends a byte a second could hold a thread for hours.
#pragma once
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <string>

namespace fedvs::status {

class HttpConnection : public httplib::Stream {
 public:
  // Ends at the deadline, after `most_read` bytes of request, or soon after `stopping` becomes
  // true.
  HttpConnection(int socket, std::chrono::steady_clock::time_point deadline, std::size_t most_read,
                 const std::atomic<bool>& stopping);
  ~HttpConnection() override;  // closes the socket

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* bytes, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  int socket() const override { return socket_; }

 private:
  bool wait_for(short event) const;
  ssize_t receive();
  int socket_;
  std::chrono::steady_clock::time_point deadline_;
  std::size_t may_read_;
  std::string received_;  // httplib asks for single bytes
  std::size_t taken_ = 0;
  const std::atomic<bool>& stopping_;
};

}  // namespace fedvs::status
