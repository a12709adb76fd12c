#include "fedvs/protocol/sender.h"

namespace fedvs::protocol {
namespace {

struct Sender {
  int operator()(const Welcome&) const { return kServer; }
  int operator()(const Step&) const { return kServer; }
  int operator()(const ReportRequest&) const { return kServer; }
  int operator()(const Regather&) const { return kServer; }
  int operator()(const Farewell&) const { return kServer; }
  int operator()(const MissedPlan&) const { return kServer; }
  template <class FromClient>
  int operator()(const FromClient& message) const {
    return message.from;
  }
};

}  // namespace

int sender_of(const Message& message) { return std::visit(Sender{}, message); }

}  // namespace fedvs::protocol
