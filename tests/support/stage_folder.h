// What parties on the stage leave behind when they are killed: instead of folders on a disk.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "fedvs/protocol/client/client.h"
#include "fedvs/protocol/server/server.h"

namespace fedvs::testing {

struct ClientFolder {
  std::string checkpoint, seeds;
  std::vector<protocol::MessagePtr> models;
  std::map<int, std::deque<protocol::MessagePtr>> newest_models;  // by sender, as they come
  std::vector<protocol::MessagePtr> plans;  // steps with plans since the checkpoint
  std::map<std::tuple<int, data::Part, std::size_t>, protocol::MessagePtr> rows;

  void note(const protocol::Client& client, const protocol::MessagePtr& message);
  void save(protocol::Client& client);
  std::unique_ptr<protocol::CodedRows> stored_rows(const protocol::Agreement& agreement) const;
  void recall(protocol::Client& client) const;
};
// On a disk that may be full from some step on.
class StagedGradients final : public protocol::GradientArchive {
 public:
  Status append(const protocol::SentGradient& sent) override;
  Result<protocol::SentGradient> read(protocol::StepNumber step) const override {
    return kept_.read(step);
  }
  protocol::StepNumber oldest() const override { return kept_.oldest(); }
  void forget_before(protocol::StepNumber step) override { kept_.forget_before(step); }
  std::optional<protocol::StepNumber> full_from;

 private:
  protocol::GradientsInMemory kept_;
};
struct ServerFolder {
  std::string notes, central;
  std::uint64_t rounds = 0;  // that the central model has seen
  int rate_changes = 0;
  std::vector<std::string> learned;  // since
  StagedGradients gradients;
  protocol::HeadsInMemory heads;

  void save(const protocol::Server& server, protocol::Learner& learner);
  // What the learner knew when `server` was saved.
  void recall_learned(const protocol::Server& server, protocol::Learner& learner, double decay);
};

}  // namespace fedvs::testing
