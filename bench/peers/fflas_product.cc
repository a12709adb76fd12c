#include "bench/peers/fflas_product.h"

#include <fflas-ffpack/fflas/fflas.h>
#include <givaro/modular.h>

#include <array>
#include <random>
#include <vector>

namespace fedvs::peers {
namespace {

using Field = Givaro::Modular<float>;
constexpr std::array<float, 4> kPrimes = {251, 241, 239, 233};

struct Plane {
  Field field;
  std::vector<float> x, w, out;
};

std::vector<float> random_values(const Field& field, std::size_t count, std::mt19937& random) {
  std::vector<float> values(count);
  for (float& value : values) field.init(value, static_cast<float>(random() % 233));
  return values;
}

}  // namespace

struct FflasProduct::State {
  std::size_t rows, depth, width;
  std::vector<Plane> planes;
};

FflasProduct::FflasProduct(std::size_t rows, std::size_t depth, std::size_t width)
    : state_(std::make_unique<State>(State{rows, depth, width, {}})) {
  std::mt19937 random(7);
  for (const float prime : kPrimes) {
    const Field field(prime);
    state_->planes.push_back({field, random_values(field, rows * depth, random),
                              random_values(field, depth * width, random),
                              std::vector<float>(rows * width, 1.0F)});
  }
}

FflasProduct::~FflasProduct() = default;

void FflasProduct::run() {
  const auto [m, k, n] = std::array{state_->rows, state_->depth, state_->width};
  for (auto& plane : state_->planes) {
    FFLAS::fgemm(plane.field, FFLAS::FflasNoTrans, FFLAS::FflasNoTrans, m, n, k, plane.field.one,
                 plane.x.data(), k, plane.w.data(), n, plane.field.zero, plane.out.data(), n);
  }
}

}  // namespace fedvs::peers
