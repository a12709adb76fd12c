// A server's run: made when all clients have come, made again after a restart, and what it writes
// down before anybody hears of it. Until rows are shared it may come to nothing, when a client goes
// away; then another one is made when all have come again.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "fedvs/base/prng.h"
#include "fedvs/coding/lagrange.h"
#include "fedvs/drive/server_driver.h"
#include "fedvs/party/gradient_log.h"
#include "fedvs/party/head_log.h"
#include "fedvs/party/row_verdicts.h"
#include "fedvs/party/server_kit.h"

namespace fedvs::party {

class ServerRun final : drive::ServerJournal {
 public:
  struct Wiring {  // all that it refers to outlives the run
    protocol::Observer& observer;
    drive::Outbox& outbox;
    std::function<std::string()> totals;  // what the recorder must know again
    double wait_for_return;               // seconds, for clients that are away
  };
  // Of terms that state.run() has, from where the folder says that it was.
  static Result<std::unique_ptr<ServerRun>> make(ServerKit& kit, Wiring wiring);

  const protocol::Agreement& agreement() const { return agreement_; }
  const protocol::Learner& learner() const { return *learner_; }
  protocol::Server& server() { return *server_; }
  const protocol::Server& server() const { return *server_; }
  drive::ServerDriver& driver() { return *driver_; }
  RowVerdicts& verdicts() { return verdicts_; }

 private:
  ServerRun(ServerKit& kit, Wiring wiring, protocol::Agreement agreement,
            coding::LagrangeCode code);
  Status open_logs();
  Status make_learner(std::uint64_t seed);
  protocol::ServerSettings settings(std::uint64_t seed);
  protocol::Groups groups_of_before() const;
  Status recall();
  Status recall_learned();
  Status save(Moment moment) override;
  Status keep_groups();
  Status save_central();
  std::string totals() const;

  ServerKit& kit_;
  const Wiring wiring_;
  const protocol::Agreement agreement_;
  const coding::LagrangeCode code_;
  const std::unique_ptr<SecretSource> secrets_;
  std::unique_ptr<GradientLog> gradients_;
  std::unique_ptr<HeadLog> heads_;
  std::unique_ptr<protocol::Learner> learner_;
  std::unique_ptr<protocol::Server> server_;
  std::optional<drive::ServerDriver> driver_;
  RowVerdicts verdicts_;
  bool groups_kept_ = false;
};

}  // namespace fedvs::party
