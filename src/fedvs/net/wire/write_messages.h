// Every kind of message as the bytes of a whole Message.
#pragma once
#include <string>

#include "fedvs/protocol/messages.h"

namespace fedvs::wire {

std::string write_message(const protocol::Hello& hello);
std::string write_message(const protocol::Welcome& welcome);
std::string write_message(const protocol::RowKey& key);
std::string write_message(const protocol::RowCheck& check);
std::string write_message(const protocol::RowVerdict& verdict);
std::string write_message(const protocol::DataRequest& request);
std::string write_message(const protocol::DataShare& share);
std::string write_message(const protocol::ModelShare& share);
std::string write_message(const protocol::ModelRequest& request);
std::string write_message(const protocol::SeedShare& share);
std::string write_message(const protocol::SeedRequest& request);
std::string write_message(const protocol::Step& step);
std::string write_message(const protocol::Upload& upload);
std::string write_message(const protocol::Report& report);
std::string write_message(const protocol::ReportRequest& request);
std::string write_message(const protocol::Refusal& refusal);
std::string write_message(const protocol::Complaint& complaint);
std::string write_message(const protocol::Regather& regather);
std::string write_message(const protocol::Farewell& farewell);
std::string write_message(const protocol::MissedPlan& missed);
std::string write_message(const protocol::Echo& echo);

}  // namespace fedvs::wire
