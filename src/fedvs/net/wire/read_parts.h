// Parts that several messages have in common, from generated types: kRefused, with the numbers,
// where they are not what this job's messages may hold.
#pragma once
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "fedvs/base/result.h"
#include "fedvs/net/wire/limits.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/messages.h"
#include "fedvs/v1/protocol.pb.h"

namespace fedvs::wire {

inline Error refused(std::string what) { return {ErrorCode::kRefused, std::move(what)}; }

// kRefused unless there are exactly Size bytes.
template <std::size_t Size>
Result<std::array<std::uint8_t, Size>> exactly(const char* what, std::string_view bytes) {
  std::array<std::uint8_t, Size> read;
  if (bytes.size() != Size) {
    return refused(fmt::format("{} of {} bytes instead of {}", what, bytes.size(), Size));
  }
  std::memcpy(read.data(), bytes.data(), Size);
  return read;
}
Result<protocol::Incarnation> read_incarnation(std::string_view bytes);
Result<protocol::SharingId> read_sharing(std::string_view bytes);
Result<Digest> read_digest(std::string_view bytes);
Result<data::Part> read_part(int number);
Result<protocol::LifeCard> read_card(const v1::LifeCard& card);
Result<protocol::SignedHead> read_head(const v1::Head& head);
template <class Message>  // none where it has none
Result<std::optional<protocol::SignedHead>> head_of(const Message& message) {
  if (!message.has_head()) return std::optional<protocol::SignedHead>();
  FEDVS_TRY(const auto head, read_head(message.head()));
  return std::optional(head);
}

class PartReader {
 public:
  explicit PartReader(const protocol::Agreement& agreement) : agreement_(agreement) {}
  const protocol::Agreement& agreement() const { return agreement_; }

  Result<int> party(std::uint32_t number) const;
  Status at_most_parties(const char* list, int size) const;
  Result<std::vector<bool>> flags(const google::protobuf::RepeatedField<bool>& flags) const;
  Result<protocol::Version> version(const v1::Version& version) const;
  Result<protocol::Plan> plan(const v1::Plan& plan) const;
  Result<protocol::Groups> groups(const v1::Groups& groups) const;
  Result<protocol::Holdings> holdings(const v1::Holdings& holdings) const;

 private:
  Status add_rows(const v1::Plan& from, protocol::Plan& plan) const;
  Status add_versions(const v1::Plan& from, protocol::Plan& plan) const;
  Result<std::vector<protocol::Holdings::Older>> older(const v1::Holdings& from) const;
  const protocol::Agreement& agreement_;
};

}  // namespace fedvs::wire
