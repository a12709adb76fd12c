// What parties on the stage leave behind when they are killed: instead of folders on a disk.
#pragma once
#include <deque>
#include <limits>
#include <map>
#include <memory>
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
  Result<protocol::SentGradient> read(protocol::StepNumber step) const override;
  protocol::StepNumber oldest() const override { return oldest_; }
  void forget_before(protocol::StepNumber step) override;
  std::optional<protocol::StepNumber> full_from;

 private:
  std::deque<protocol::SentGradient> kept_;
  protocol::StepNumber oldest_ = 0;
};
class StagedHeads final : public protocol::HeadArchive {
 public:
  // Past so many the older half of the steps is forgotten, as party::HeadLog does.
  void keep_at_most(std::uint64_t steps) { most_ = steps; }
  Status append(const Entry& entry, const protocol::Step& step) override;
  Result<Entry> read(std::uint64_t index) const override;
  Result<protocol::Step> step(std::uint64_t index) const override;
  std::uint64_t oldest_step() const override { return oldest_step_; }
  std::uint64_t last() const override { return entries_.size(); }
  Status forget_after(std::uint64_t index) override;

 private:
  std::vector<Entry> entries_;
  std::vector<std::shared_ptr<const protocol::Step>> steps_;  // null: forgotten
  std::uint64_t most_ = std::numeric_limits<std::uint64_t>::max(), oldest_step_ = 1;
};
struct ServerFolder {
  std::string notes, central;
  std::uint64_t rounds = 0;  // that the central model has seen
  int rate_changes = 0;
  std::vector<std::string> learned;  // since
  StagedGradients gradients;
  StagedHeads heads;

  void save(const protocol::Server& server, protocol::Learner& learner);
  // What the learner knew when `server` was saved.
  void recall_learned(const protocol::Server& server, protocol::Learner& learner, double decay);
};

}  // namespace fedvs::testing
