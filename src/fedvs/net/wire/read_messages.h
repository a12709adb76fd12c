// Messages from a frame: the generated type of a kind's head to the protocol's own.
#pragma once
#include <string_view>

#include "fedvs/net/wire/read_parts.h"

namespace fedvs::wire {

class MessageReader {
 public:
  // `values`: of the frame; empty for kinds that carry none.
  MessageReader(const protocol::Agreement& agreement, std::string_view values)
      : parts_(agreement), values_(values) {}

  Result<protocol::Hello> read(const v1::Hello& head) const;
  Result<protocol::Welcome> read(const v1::Welcome& head) const;
  Result<protocol::RowKey> read(const v1::RowKey& head) const;
  Result<protocol::RowCheck> read(const v1::RowCheck& head) const;
  Result<protocol::RowVerdict> read(const v1::RowVerdict& head) const;
  Result<protocol::DataRequest> read(const v1::DataRequest& head) const;
  Result<protocol::DataShare> read(const v1::DataShare& head) const;
  Result<protocol::ModelShare> read(const v1::ModelShare& head) const;
  Result<protocol::ModelRequest> read(const v1::ModelRequest& head) const;
  Result<protocol::SeedShare> read(const v1::SeedShare& head) const;
  Result<protocol::SeedRequest> read(const v1::SeedRequest& head) const;
  Result<protocol::Step> read(const v1::Step& head) const;
  Result<protocol::Upload> read(const v1::Upload& head) const;
  Result<protocol::Report> read(const v1::Report& head) const;
  Result<protocol::ReportRequest> read(const v1::ReportRequest& head) const;
  Result<protocol::Refusal> read(const v1::Refusal& head) const;
  Result<protocol::Complaint> read(const v1::Complaint& head) const;
  Result<protocol::Regather> read(const v1::Regather& head) const;
  Result<protocol::Farewell> read(const v1::Farewell& head) const;
  Result<protocol::MissedPlan> read(const v1::MissedPlan& head) const;
  Result<protocol::Echo> read(const v1::Echo& head) const;

 private:
  PartReader parts_;
  std::string_view values_;
};

}  // namespace fedvs::wire
