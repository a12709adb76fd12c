#include "bench/peers/flint_product.h"

#include <flint/flint.h>
#include <flint/nmod_mat.h>

namespace fedvs::peers {
namespace {

constexpr mp_limb_t kPrime = (1u << 31) - 1;

}  // namespace

struct FlintProduct::State {
  nmod_mat_t x, w, out;
};

FlintProduct::FlintProduct(std::size_t rows, std::size_t depth, std::size_t width)
    : state_(std::make_unique<State>()) {
  const auto m = static_cast<slong>(rows), k = static_cast<slong>(depth),
             n = static_cast<slong>(width);
  nmod_mat_init(state_->x, m, k, kPrime);
  nmod_mat_init(state_->w, k, n, kPrime);
  nmod_mat_init(state_->out, m, n, kPrime);
  flint_rand_t random;
  flint_randinit(random);
  nmod_mat_randfull(state_->x, random);
  nmod_mat_randfull(state_->w, random);
  flint_randclear(random);
  flint_set_num_threads(1);
}

FlintProduct::~FlintProduct() {
  nmod_mat_clear(state_->x);
  nmod_mat_clear(state_->w);
  nmod_mat_clear(state_->out);
}

void FlintProduct::run() { nmod_mat_mul(state_->out, state_->x, state_->w); }

}  // namespace fedvs::peers
