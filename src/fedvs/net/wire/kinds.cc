#include "fedvs/net/wire/kinds.h"

#include <fmt/format.h>

#include <array>

#include "fedvs/net/wire/codec.h"
#include "fedvs/v1/protocol.pb.h"

namespace fedvs::wire {
namespace {

using Pb = v1::Message;

constexpr std::array<const char*, kKinds> kNames = {
    "hello",       "welcome",    "row key",     "row check",     "data request", "data share",
    "model share", "seed share", "step",        "upload",        "report",       "report request",
    "refusal",     "regather",   "farewell",    "model request", "row verdict",  "complaint",
    "missed plan", "echo",       "seed request"};

// Kinds are numbered as protocol::Message lists them.
template <class Kind, int number>
constexpr bool sits_at =
    std::is_same_v<std::variant_alternative_t<number - 1, protocol::Message>, Kind>;
static_assert(sits_at<protocol::Hello, Pb::kHelloFieldNumber>);
static_assert(sits_at<protocol::Welcome, Pb::kWelcomeFieldNumber>);
static_assert(sits_at<protocol::RowKey, Pb::kRowKeyFieldNumber>);
static_assert(sits_at<protocol::RowCheck, Pb::kRowCheckFieldNumber>);
static_assert(sits_at<protocol::DataRequest, Pb::kDataRequestFieldNumber>);
static_assert(sits_at<protocol::DataShare, Pb::kDataShareFieldNumber>);
static_assert(sits_at<protocol::ModelShare, Pb::kModelShareFieldNumber>);
static_assert(sits_at<protocol::SeedShare, Pb::kSeedShareFieldNumber>);
static_assert(sits_at<protocol::Step, Pb::kStepFieldNumber>);
static_assert(sits_at<protocol::Upload, Pb::kUploadFieldNumber>);
static_assert(sits_at<protocol::Report, Pb::kReportFieldNumber>);
static_assert(sits_at<protocol::ReportRequest, Pb::kReportRequestFieldNumber>);
static_assert(sits_at<protocol::Refusal, Pb::kRefusalFieldNumber>);
static_assert(sits_at<protocol::Regather, Pb::kRegatherFieldNumber>);
static_assert(sits_at<protocol::Farewell, Pb::kFarewellFieldNumber>);
static_assert(sits_at<protocol::ModelRequest, Pb::kModelRequestFieldNumber>);
static_assert(sits_at<protocol::RowVerdict, Pb::kRowVerdictFieldNumber>);
static_assert(sits_at<protocol::Complaint, Pb::kComplaintFieldNumber>);
static_assert(sits_at<protocol::MissedPlan, Pb::kMissedPlanFieldNumber>);
static_assert(sits_at<protocol::Echo, Pb::kEchoFieldNumber>);
static_assert(sits_at<protocol::SeedRequest, Pb::kSeedRequestFieldNumber>);

}  // namespace

std::uint32_t kind_of(const protocol::Message& message) {
  return static_cast<std::uint32_t>(message.index() + 1);
}

std::string kind_name(std::uint32_t kind) {
  return is_kind(kind) ? kNames[kind - 1] : fmt::format("kind {}", kind);
}

bool carries_values(std::uint32_t kind) {
  switch (kind) {
    case Pb::kRowKeyFieldNumber:
    case Pb::kDataShareFieldNumber:
    case Pb::kModelShareFieldNumber:
    case Pb::kSeedShareFieldNumber:
    case Pb::kStepFieldNumber:
    case Pb::kUploadFieldNumber:
      return true;
    default:
      return false;
  }
}

}  // namespace fedvs::wire
