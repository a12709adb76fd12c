#include "fedvs/net/wire/codec.h"

#include "fedvs/net/wire/frame.h"
#include "fedvs/net/wire/kinds.h"
#include "fedvs/net/wire/limits.h"
#include "fedvs/net/wire/read_messages.h"
#include "fedvs/net/wire/write_messages.h"

namespace fedvs::wire {
namespace {

template <class Head>
Result<protocol::MessagePtr> read(const protocol::Agreement& agreement, const Frame& frame) {
  Head head;
  if (!head.ParseFromArray(frame.head.data(), static_cast<int>(frame.head.size()))) {
    return refused(fmt::format("its {} bytes cannot be parsed", frame.head.size()));
  }
  FEDVS_TRY(auto message, MessageReader(agreement, frame.values).read(head));
  return protocol::make_message(std::move(message));
}

Result<protocol::MessagePtr> read_kind(const protocol::Agreement& agreement, const Frame& frame) {
  switch (frame.kind) {
    case v1::Message::kHello:
      return read<v1::Hello>(agreement, frame);
    case v1::Message::kWelcome:
      return read<v1::Welcome>(agreement, frame);
    case v1::Message::kRowKey:
      return read<v1::RowKey>(agreement, frame);
    case v1::Message::kRowCheck:
      return read<v1::RowCheck>(agreement, frame);
    case v1::Message::kDataRequest:
      return read<v1::DataRequest>(agreement, frame);
    case v1::Message::kDataShare:
      return read<v1::DataShare>(agreement, frame);
    case v1::Message::kModelShare:
      return read<v1::ModelShare>(agreement, frame);
    case v1::Message::kSeedShare:
      return read<v1::SeedShare>(agreement, frame);
    case v1::Message::kStep:
      return read<v1::Step>(agreement, frame);
    case v1::Message::kUpload:
      return read<v1::Upload>(agreement, frame);
    case v1::Message::kReport:
      return read<v1::Report>(agreement, frame);
    case v1::Message::kReportRequest:
      return read<v1::ReportRequest>(agreement, frame);
    case v1::Message::kRefusal:
      return read<v1::Refusal>(agreement, frame);
    case v1::Message::kRegather:
      return read<v1::Regather>(agreement, frame);
    case v1::Message::kFarewell:
      return read<v1::Farewell>(agreement, frame);
    case v1::Message::kModelRequest:
      return read<v1::ModelRequest>(agreement, frame);
    case v1::Message::kRowVerdict:
      return read<v1::RowVerdict>(agreement, frame);
    case v1::Message::kComplaint:
      return read<v1::Complaint>(agreement, frame);
    case v1::Message::kMissedPlan:
      return read<v1::MissedPlan>(agreement, frame);
    case v1::Message::kEcho:
      return read<v1::Echo>(agreement, frame);
    case v1::Message::kSeedRequest:
      return read<v1::SeedRequest>(agreement, frame);
    default:
      return refused("a kind that is not known");
  }
}

// Before generated code sees the head: what it takes in memory is a multiple of the head's size.
Status check_frame(const protocol::Agreement& agreement, const Frame& frame) {
  const std::size_t most = largest_head(agreement);
  if (frame.head.size() > most) {
    return refused(
        fmt::format("{} bytes beside its values, where {} are the most", frame.head.size(), most));
  }
  if (frame.values.empty() || carries_values(frame.kind)) return {};
  return refused(fmt::format("{} bytes of values, where none belong", frame.values.size()));
}

Error within(std::uint32_t kind, const Error& error) {
  return {error.code, fmt::format("a malformed message, {}: {}", kind_name(kind), error.message)};
}

}  // namespace

std::string encode(const protocol::Message& message) {
  return std::visit([](const auto& kind) { return write_message(kind); }, message);
}

Result<protocol::MessagePtr> decode(const protocol::Agreement& agreement, std::string_view bytes) {
  const std::size_t most = largest_message(agreement);
  if (bytes.size() > most) {
    return refused(fmt::format("a message of {} bytes, where {} are the most", bytes.size(), most));
  }
  FEDVS_TRY(const Frame frame, split_frame(bytes));
  if (auto status = check_frame(agreement, frame); !status) {
    return within(frame.kind, status.error());
  }
  auto message = read_kind(agreement, frame);
  if (!message) return within(frame.kind, message.error());
  return message;
}

}  // namespace fedvs::wire
