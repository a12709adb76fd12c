// The parties of a stage while they are alive: each has the driver that runs it on the network,
// too.
#pragma once
#include <utility>

#include "fedvs/drive/client_driver.h"
#include "fedvs/drive/server_driver.h"
#include "tests/support/stage.h"

namespace fedvs::testing {

class Stage::Life final : drive::ClientJournal, drive::Outbox {
 public:
  Life(Stage& stage, std::unique_ptr<protocol::Client> client)
      : stage_(stage), client_(std::move(client)), driver_(*client_, *this, *this) {}
  protocol::Client& client() { return *client_; }
  void start() { finish(driver_.start()); }
  void come_back() { finish(driver_.come_back()); }
  void receive(const protocol::MessagePtr& message) { finish(driver_.receive(message)); }

 private:
  void finish(const Status& told) {
    told.value();
    while (driver_.has_background()) driver_.run_background().value();
  }
  Status note(const protocol::MessagePtr& message) override {
    stage_.folder(client_->number()).note(*client_, message);
    return {};
  }
  void note_broken_off() override {}  // whoever is started again takes part again
  void send(int to, protocol::Lane, const protocol::MessagePtr& message) override {
    stage_.send(client_->number(), to, message);
  }

  Stage& stage_;
  const std::unique_ptr<protocol::Client> client_;
  drive::ClientDriver driver_;
};

class Stage::ServerLife final : drive::ServerJournal, drive::Outbox {
 public:
  ServerLife(Stage& stage, std::unique_ptr<protocol::Server> server)
      : stage_(stage),
        server_(std::move(server)),
        driver_(*server_, *this, *this, [this] { return stage_.now_; }) {}
  protocol::Server& server() { return *server_; }
  drive::ServerDriver& driver() { return driver_; }

 private:
  Status save(Moment) override {
    if (stage_.dies_before_saving && stage_.dies_before_saving()) {
      return Error{ErrorCode::kStopped, "it died"};
    }
    stage_.server_folder_.save(*server_, *stage_.learner_);
    return {};
  }
  void send(int to, protocol::Lane, const protocol::MessagePtr& message) override {
    stage_.send(protocol::kServer, to, message);
  }

  Stage& stage_;
  const std::unique_ptr<protocol::Server> server_;
  drive::ServerDriver driver_;
};

}  // namespace fedvs::testing
