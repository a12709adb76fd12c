// The polynomial network of FedVS in plaintext floats.
#pragma once
#include "fedvs/model/client_network.h"
#include "fedvs/model/optimizer.h"
#include "fedvs/model/polynomial_network.h"

namespace fedvs::model {

class ClientPolynomial final : public ClientNetwork {
 public:
  ClientPolynomial(PolynomialNetwork network, int degree, Optimizer optimizer);

  std::vector<float> embed(const data::Table& features) override;
  void learn(const data::Table& features, std::span<const float> gradient) override;
  void scale_rate(double factor) override { optimizer_.scale_rate(factor); }
  double macs_per_row() const override { return static_cast<double>(network_.weights.size()); }
  std::string save() const override;
  Status load(const std::string& bytes) override;

  const PolynomialNetwork& network() const { return network_; }

 private:
  PolynomialNetwork network_;
  int degree_;
  Optimizer optimizer_;
  std::vector<float> gradient_;
};

}  // namespace fedvs::model
