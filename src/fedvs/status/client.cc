#include "fedvs/status/client.h"

#include <fmt/format.h>
#include <httplib.h>

#include "fedvs/status/text.h"

namespace fedvs::status {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kLongestAnswer = 32 << 20;  // ten thousand clients take a tenth of it
constexpr std::chrono::seconds kPatience{5};

Error no_answer(const deploy::Address& address, const std::string& why) {
  return {ErrorCode::kBadFile, fmt::format("no server answers at {} ({})", address.text(), why)};
}
Error other_answer(const deploy::Address& address, const std::string& why) {
  return {ErrorCode::kBadData,
          fmt::format("something else than a FedVS server answers at {}: {}", address.text(), why)};
}

}  // namespace

Result<FetchedStatus> fetch_status(const deploy::Address& address) {
  httplib::Client client(address.host, address.port);
  client.set_connection_timeout(kPatience);
  client.set_read_timeout(kPatience);
  const auto deadline = Clock::now() + 2 * kPatience;
  std::string body;
  const auto response = client.Get("/status", [&](const char* bytes, std::size_t size) {
    body.append(bytes, size);
    return body.size() <= kLongestAnswer && Clock::now() < deadline;
  });
  if (response.error() == httplib::Error::Canceled) {
    return other_answer(address, "its answer is too long, or too slow");
  }
  if (!response) return no_answer(address, httplib::to_string(response.error()));
  if (response->status != 200) {
    return other_answer(address, fmt::format("HTTP status {}", response->status));
  }
  auto status = parse_status(body);
  if (!status) return other_answer(address, status.error().message);
  return FetchedStatus{std::move(*status), std::move(body)};
}

}  // namespace fedvs::status
