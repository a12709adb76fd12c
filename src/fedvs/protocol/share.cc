#include "fedvs/protocol/share.h"

#include <utility>

namespace fedvs::protocol {
namespace {

class StoredShare final : public Share {
 public:
  explicit StoredShare(field::RingMatrix values) : values_(std::move(values)) {}
  const field::Ring& ring() const override { return values_.ring(); }
  std::size_t rows() const override { return values_.rows(); }
  std::size_t cols() const override { return values_.cols(); }
  void write(field::RingMatrix& out, std::size_t first_col) const override {
    out.paste(values_, 0, first_col);
  }

 private:
  field::RingMatrix values_;
};

}  // namespace

class Shares {
 public:
  Shares(std::shared_ptr<const Secret> secret, const coding::LagrangeCode& code)
      : secret_(std::move(secret)), code_(code) {
    shares_.reserve(static_cast<std::size_t>(code.shape().parties));
    for (int m = 0; m < code.shape().parties; ++m) shares_.emplace_back(*this, m);
  }
  Shares(const Shares&) = delete;
  Shares& operator=(const Shares&) = delete;
  const Share& of(int recipient) const { return shares_[static_cast<std::size_t>(recipient)]; }

 private:
  class CodedShare final : public Share {
   public:
    CodedShare(const Shares& all, int recipient) : all_(all), recipient_(recipient) {}
    const field::Ring& ring() const override { return all_.secret_->ring(); }
    std::size_t rows() const override { return all_.secret_->rows(); }
    std::size_t cols() const override { return all_.secret_->cols(); }
    void write(field::RingMatrix& out, std::size_t first_col) const override {
      coding::encode(all_.code_, coding::Polynomial::kModel, all_.secret_->terms(), recipient_, out,
                     {.col = first_col});
    }
    const std::shared_ptr<const Secret>& secret() const override { return all_.secret_; }

   private:
    const Shares& all_;
    int recipient_;
  };

  std::shared_ptr<const Secret> secret_;
  const coding::LagrangeCode& code_;
  std::vector<CodedShare> shares_;  // by recipient
};

field::RingMatrix Share::matrix() const {
  field::RingMatrix values(ring(), rows(), cols());
  write(values, 0);
  return values;
}

const std::shared_ptr<const Secret>& Share::secret() const {
  static const std::shared_ptr<const Secret> none;
  return none;
}

Secret::Secret(const field::Ring& ring, std::size_t rows, std::size_t cols)
    : ring_(ring), rows_(rows), cols_(cols) {}

const std::vector<const field::RingMatrix*>& Secret::terms() const {
  const auto& drawn = terms_.get([this] {
    Terms terms{draw(), {}};
    for (const auto& matrix : terms.matrices) terms.pointers.push_back(&matrix);
    return terms;  // moving keeps the matrices where they are
  });
  return drawn.pointers;
}

std::shared_ptr<const Shares> shares_of(std::shared_ptr<const Secret> secret,
                                        const coding::LagrangeCode& code) {
  return std::make_shared<const Shares>(std::move(secret), code);
}

SharePtr share_of(const std::shared_ptr<const Shares>& shares, int recipient) {
  return {shares, &shares->of(recipient)};
}

SharePtr share_of(field::RingMatrix values) {
  return std::make_shared<const StoredShare>(std::move(values));
}

}  // namespace fedvs::protocol
