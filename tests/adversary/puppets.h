// Real clients in the hands of a server that says whatever it likes: they are brought into training
// by an honest one (tests/support/stage.h), then every message goes through the wire's codec.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fedvs/drive/client_driver.h"
#include "fedvs/protocol/messages.h"
#include "tests/support/stage.h"

namespace fedvs::testing {

class Puppets {
 public:
  explicit Puppets(Stage& stage);  // whose clients they are; it is not run any more
  ~Puppets();

  void say(int to, const protocol::Message& message);
  void say_to_all(const protocol::Message& message);
  void cut_connections();  // everybody comes back
  void settle();           // until nothing is on its way

  bool all_said_hello() const;
  // What a server says that was there all the time.
  protocol::Welcome welcome() const;
  // Of the next revision: fresh versions of all clients, as they live now.
  protocol::Plan plan(std::uint64_t round, int epoch, std::vector<std::size_t> rows);
  protocol::Step step() const;  // that everybody shares its model for, and nothing else
  // The K b x h sums of a plan that was answered; none if fewer than R did.
  std::optional<std::vector<std::int64_t>> open(const protocol::Plan& plan) const;

  const std::vector<std::string>& refusals() const { return refusals_; }
  std::uint64_t round() const { return round_; }  // gradients that clients had applied by then
  protocol::StepNumber newest_shared() const { return newest_shared_; }  // of anybody's model
  const protocol::Agreement& agreement() const { return stage_.agreement(); }
  protocol::LocalModel& model(int n) { return stage_.client(n).model(); }

 private:
  int parties() const { return agreement().shape.parties; }
  class Strings;  // of one puppet: what it says goes through them
  Strings& strings(int client);
  void hear(const protocol::MessagePtr& message);

  Stage& stage_;
  std::vector<std::unique_ptr<Strings>> strings_;    // by client; made when first pulled
  std::deque<std::pair<int, std::string>> letters_;  // to whom, and its bytes
  std::vector<std::optional<protocol::Hello>> hellos_;
  std::vector<protocol::MessagePtr> uploads_;
  std::vector<std::string> refusals_;
  protocol::Incarnation server_;
  std::uint64_t revision_ = 1'000'000, round_ = 0;  // later than any that clients have seen
  protocol::StepNumber newest_shared_ = 0;
};

}  // namespace fedvs::testing
