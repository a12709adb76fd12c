#include "fedvs/model/client_polynomial.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <c10/core/GradMode.h>

#include "fedvs/base/check.h"
#include "fedvs/model/torch_runtime.h"

namespace fedvs::model {
namespace {

// Read or written where it is.
at::Tensor matrix(const float* values, std::size_t rows, std::size_t cols) {
  return at::from_blob(const_cast<float*>(values),
                       {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(cols)});
}

void multiply(const at::Tensor& left, const at::Tensor& right, at::Tensor out) {
  without_exceptions([&] {
    const c10::NoGradGuard no_grad;
    at::mm_out(out, left, right);
  });
}

}  // namespace

ClientPolynomial::ClientPolynomial(PolynomialNetwork network, int degree, Optimizer optimizer)
    : network_(std::move(network)),
      degree_(degree),
      optimizer_(std::move(optimizer)),
      gradient_(network_.weights.size()) {}

// Eq. (1): x^ W, W kept transposed.
std::vector<float> ClientPolynomial::embed(const data::Table& features) {
  const data::Table powers = raise_to_powers(features, degree_);
  FEDVS_CHECK(powers.cols == network_.inputs, "features of another client");
  std::vector<float> embeddings(powers.rows * network_.width);
  multiply(matrix(powers.values.data(), powers.rows, powers.cols),
           matrix(network_.weights.data(), network_.width, powers.cols).t(),
           matrix(embeddings.data(), powers.rows, network_.width));
  return embeddings;
}

void ClientPolynomial::learn(const data::Table& features, std::span<const float> gradient) {
  const data::Table powers = raise_to_powers(features, degree_);
  FEDVS_CHECK(gradient.size() == powers.rows * network_.width, "not one gradient per embedding");
  multiply(matrix(gradient.data(), powers.rows, network_.width).t(),
           matrix(powers.values.data(), powers.rows, powers.cols),
           matrix(gradient_.data(), network_.width, powers.cols));
  optimizer_.step(network_.weights, gradient_);
}

std::string ClientPolynomial::save() const {
  ByteWriter out;
  out.numbers(network_.weights);
  optimizer_.state().write(out);
  return out.take();
}

Status ClientPolynomial::load(const std::string& bytes) {
  ByteReader in(bytes);
  FEDVS_TRY(auto weights, in.numbers<float>());
  FEDVS_TRY(const auto state, Optimizer::State::read(in));
  FEDVS_TRY_STATUS(in.finish());
  if (weights.size() != network_.weights.size()) {
    return Error{ErrorCode::kCorrupt, "the checkpoint's client network has another size"};
  }
  FEDVS_TRY_STATUS(optimizer_.restore(state));
  network_.weights = std::move(weights);
  return {};
}

}  // namespace fedvs::model
