// Both factors of a client's product, Eq. (5), as the kernel reads them. The rows of everybody,
// F_1(alpha_m) | ... | F_N(alpha_m) side by side, each sender's columns padded with zeros to a
// multiple of four; and below them the shares of the models, likewise side by side.
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"
#include "fedvs/field/ring_matrix.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/share.h"

namespace fedvs::protocol {

class CodedRows {
 public:
  virtual ~CodedRows() = default;
  // False: rows are made again when they are needed, so that shares need not carry them.
  virtual bool keeps_shares() const = 0;
  // A chunk of one sender's share: rows x inputs in one row.
  virtual void put(data::Part part, int sender, std::size_t first_row, std::size_t rows,
                   const field::RingMatrix& flat) = 0;
  // Of a chunk as it lies there, to tell a torn file by; zero where shares are not kept.
  virtual Digest chunk_digest(data::Part, int, std::size_t, std::size_t) const { return {}; }
  // These coded rows of everybody, rows.size() x total_padded_inputs(). They are made in `scratch`,
  // which has that shape, or are somewhere already.
  virtual const field::RingMatrix& gather(data::Part part, std::span<const std::size_t> rows,
                                          field::RingMatrix& scratch) const = 0;
  // The models that a plan names (null: dropped) in panels, panel_rows(h) x panel_cols(inputs).
  virtual void place(std::span<const SharePtr> models, field::RingMatrix& panels) const = 0;
};

// One share after the other; zeros for a client that was dropped.
void place_one_by_one(const Agreement& agreement, std::span<const SharePtr> models,
                      field::RingMatrix& panels);

// Shares as they came: in memory, or in mapped files of `folder` that go with the object.
// kBadFile where the files cannot be made at their full size.
Result<std::unique_ptr<CodedRows>> stored_rows(
    const Agreement& agreement, const std::optional<std::filesystem::path>& folder = {});
// The same in files that stay when the object goes. Files that are there and have the right size
// are taken as they are; which chunks in them are good is for the caller to know.
Result<std::unique_ptr<CodedRows>> lasting_rows(const Agreement& agreement,
                                                const std::filesystem::path& folder);

}  // namespace fedvs::protocol
