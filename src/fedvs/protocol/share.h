// A share as a message carries it and a client holds it: its bytes, or, where sender and recipient
// live in one process, the secret that it is a share of. The second kind is made straight into the
// matrix where it is needed, so it takes no memory while held and no time if never used.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "fedvs/base/lazy.h"
#include "fedvs/coding/encoder.h"

namespace fedvs::protocol {

class Secret;

class Share {
 public:
  virtual ~Share() = default;
  virtual const field::Ring& ring() const = 0;
  virtual std::size_t rows() const = 0;
  virtual std::size_t cols() const = 0;
  // out[:, first_col ..) = the share; rows that `out` does not have are left out.
  virtual void write(field::RingMatrix& out, std::size_t first_col) const = 0;
  field::RingMatrix matrix() const;
  // What it is a share of, where sender and recipient live in one process; else null.
  virtual const std::shared_ptr<const Secret>& secret() const;
};
using SharePtr = std::shared_ptr<const Share>;

// What is shared: the terms of a model's polynomial, Eq. (4), drawn when first needed and wiped
// when the last share of it goes.
class Secret {
 public:
  Secret(const field::Ring& ring, std::size_t rows, std::size_t cols);
  virtual ~Secret() = default;
  const field::Ring& ring() const { return ring_; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  const std::vector<const field::RingMatrix*>& terms() const;  // safe from several threads

 private:
  virtual std::vector<field::RingMatrix> draw() const = 0;
  const field::Ring& ring_;
  std::size_t rows_, cols_;
  struct Terms {
    std::vector<field::RingMatrix> matrices;
    std::vector<const field::RingMatrix*> pointers;
  };
  Lazy<Terms> terms_;
};

// The shares of one secret for everybody, one object: to hold any of them is to hold all.
class Shares;
// The code outlives the shares.
std::shared_ptr<const Shares> shares_of(std::shared_ptr<const Secret> secret,
                                        const coding::LagrangeCode& code);
SharePtr share_of(const std::shared_ptr<const Shares>& shares, int recipient);
SharePtr share_of(field::RingMatrix values);  // the bytes themselves

}  // namespace fedvs::protocol
