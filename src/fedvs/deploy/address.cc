#include "fedvs/deploy/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace fedvs::deploy {
namespace {

constexpr int kLastPort = 65535;
constexpr std::size_t kLongestName = 253;  // of DNS

bool is_ipv4(const std::string& host) {
  in_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}
bool is_ipv6(const std::string& host) {
  in6_addr address;
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

bool is_label(std::string_view label) {
  const auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  };
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::ranges::all_of(label, allowed);
}

bool is_name(std::string_view host) {
  if (host.empty() || host.size() > kLongestName) return false;
  for (std::size_t begin = 0; begin <= host.size();) {
    const auto dot = std::min(host.find('.', begin), host.size());
    if (!is_label(host.substr(begin, dot - begin))) return false;
    begin = dot + 1;
  }
  return !std::ranges::all_of(host, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

int parse_port(std::string_view text) {
  int port = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && port <= kLastPort ? port : -1;
}

Error bad_address(std::string_view text, std::string_view why) {
  return {ErrorCode::kBadJob,
          fmt::format("server address \"{}\": {}; write host:port, as in lab.example.org:7443 or "
                      "[2001:db8::7]:7443",
                      text, why)};
}

}  // namespace

std::string Address::text() const {
  return is_ipv6(host) ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

bool Address::is_ip() const { return is_ipv4(host) || is_ipv6(host); }

bool Address::is_loopback() const {
  in6_addr six;
  if (inet_pton(AF_INET6, host.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six);
  return host == "localhost" || (is_ipv4(host) && host.starts_with("127."));
}

Result<Address> parse_address(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return bad_address(text, "there is no port");
  Address address{std::string(text.substr(0, colon)), parse_port(text.substr(colon + 1))};
  if (address.port < 0) return bad_address(text, "the port is no number from 1 to 65535");
  auto& host = address.host;
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    if (!is_ipv6(host)) return bad_address(text, "what stands in brackets is no IPv6 address");
    return address;
  }
  if (!is_ipv4(host) && !is_name(host)) return bad_address(text, "the host is no name or address");
  return address;
}

}  // namespace fedvs::deploy
