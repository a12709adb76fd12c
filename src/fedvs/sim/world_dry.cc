// A world in which nothing is computed: its plans, messages and times are those of a run.
#include "fedvs/model/client_network.h"
#include "fedvs/sim/world.h"

namespace fedvs::sim {
namespace {

// Known for what it costs alone.
class CostOnly final : public model::CentralModel {
 public:
  explicit CostOnly(double macs_per_row) : macs_per_row_(macs_per_row) {}
  Learned learn(std::span<const float>, std::span<const int>) override { return {}; }
  std::vector<float> predict(std::span<const float>) override { return {}; }
  void scale_rate(double) override {}
  double forward_macs_per_row() const override { return macs_per_row_; }
  std::string save() const override { return {}; }
  Status load(const std::string&) override { return {}; }

 private:
  double macs_per_row_;
};

class NoRows final : public protocol::CodedRows {
 public:
  bool keeps_shares() const override { return false; }
  void put(data::Part, int, std::size_t, std::size_t, const field::RingMatrix&) override {}
  const field::RingMatrix& gather(data::Part, std::span<const std::size_t>,
                                  field::RingMatrix& scratch) const override {
    return scratch;
  }
  void place(std::span<const protocol::SharePtr>, field::RingMatrix&) const override {}
};

}  // namespace

Result<std::unique_ptr<World>> World::dry(const Job& job, protocol::Agreement agreement,
                                          double central_macs, protocol::Observer& observer) {
  FEDVS_TRY(auto code, coding::LagrangeCode::create(agreement.ring, agreement.shape));
  std::unique_ptr<World> world(new World(job, std::move(agreement), std::move(code)));
  FEDVS_TRY_STATUS(world->make_dry_clients());
  world->make_server(std::make_unique<CostOnly>(central_macs), {}, observer);
  world->set_numbers(Numbers::kNone);
  return world;
}

Status World::make_dry_clients() {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const data::Table none[data::kParts] = {};
    FEDVS_TRY(auto optimizer, model::Optimizer::create(model::client_optimizer(job_), 0));
    protocol::LocalModel local(agreement_, n, protocol::LocalModel::own_rows(agreement_, n, none),
                               {}, std::move(optimizer));
    add_client(n, std::move(local), std::make_unique<NoRows>(), {});
  }
  return {};
}

}  // namespace fedvs::sim
