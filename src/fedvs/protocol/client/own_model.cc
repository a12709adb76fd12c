#include "fedvs/protocol/client/own_model.h"

#include <utility>

#include "fedvs/base/wipe.h"
#include "fedvs/field/panels.h"

namespace fedvs::protocol {
namespace {

// A version of a model: W in the product's panels and the T uniform coefficients of r, Eq. (4).
class SharedModel final : public Secret {
 public:
  SharedModel(const Agreement& agreement, const coding::LagrangeCode& code, int client,
              const LocalModel& model, StepNumber step, SecretSource& secrets)
      : Secret(agreement.ring, field::panel_rows(agreement.width),
               field::panel_cols(agreement.padded_inputs(client))),
        agreement_(agreement),
        code_(code),
        client_(client),
        model_(model),
        step_(step),
        secrets_(secrets) {}

 private:
  std::vector<field::RingMatrix> draw() const override {
    std::vector<std::int32_t> panels(rows() * cols());
    field::order_panels(ring(), model_.rounded().at(step_), agreement_.width,
                        agreement_.inputs(client_), panels);
    std::vector<field::RingMatrix> terms;
    terms.push_back(field::RingMatrix::from_integers(ring(), rows(), cols(), panels));
    wipe(std::span(panels));
    Prng masks = secrets_.stream(Purpose::kModelMask, client_, step_);
    for (auto& random :
         coding::random_terms(code_, coding::Polynomial::kModel, rows(), cols(), masks)) {
      terms.push_back(std::move(random));
    }
    return terms;
  }
  const Agreement& agreement_;
  const coding::LagrangeCode& code_;
  int client_;
  const LocalModel& model_;
  StepNumber step_;
  SecretSource& secrets_;
};

}  // namespace

OwnModel::OwnModel(int client, const Agreement& agreement, const coding::LagrangeCode& code,
                   SecretSource& secrets, LocalModel model)
    : client_(client),
      agreement_(agreement),
      code_(code),
      secrets_(secrets),
      local_(std::move(model)) {}

Status OwnModel::restore(const v1::SavedModel& from) {
  FEDVS_TRY_STATUS(local_.restore(from));
  received_ = saved_ = local_.step();
  return {};
}

bool OwnModel::begin_sharing(StepNumber step) { return std::exchange(shared_, step) != step; }

std::shared_ptr<Secret> OwnModel::secret(StepNumber step) {
  return std::make_shared<SharedModel>(agreement_, code_, client_, local_, step, secrets_);
}

std::shared_ptr<const Shares> OwnModel::shares(std::shared_ptr<const Secret> secret) const {
  return shares_of(std::move(secret), code_);
}

void OwnModel::keep(Kept shared, const std::optional<Version>& named) {
  std::erase_if(kept_, [&](const Kept& kept) { return named != kept.version; });
  kept_.push_back(std::move(shared));
}

}  // namespace fedvs::protocol
