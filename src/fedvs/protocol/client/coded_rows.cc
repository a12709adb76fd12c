#include "fedvs/protocol/client/coded_rows.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "fedvs/field/panels.h"

namespace fedvs::protocol {
namespace {

class StoredRows final : public CodedRows {
 public:
  StoredRows(const Agreement& agreement, std::array<field::RingMatrix, data::kParts> parts)
      : agreement_(agreement), parts_(std::move(parts)) {}

  bool keeps_shares() const override { return true; }

  void put(data::Part part, int sender, std::size_t first_row, std::size_t rows,
           const field::RingMatrix& flat) override {
    auto& all = parts_[static_cast<std::size_t>(part)];
    const std::size_t first = agreement_.first_padded_input(sender);
    const std::size_t inputs = agreement_.inputs(sender);
    all.paste_flat(flat, first_row, rows, first, inputs);
    // The padding takes part in the product, and a file that was damaged may hold anything there.
    const auto word = static_cast<std::size_t>(agreement_.ring.word_bytes());
    const std::size_t padding = (agreement_.padded_inputs(sender) - inputs) * word;
    for (int plane = 0; plane < agreement_.ring.planes(); ++plane) {
      for (std::size_t r = first_row; r < first_row + rows; ++r) {
        std::memset(all.row_bytes(plane, r) + (first + inputs) * word, 0, padding);
      }
    }
  }

  Digest chunk_digest(data::Part part, int sender, std::size_t first_row,
                      std::size_t rows) const override {
    const auto& all = parts_[static_cast<std::size_t>(part)];
    const auto word = static_cast<std::size_t>(agreement_.ring.word_bytes());
    const std::size_t from = agreement_.first_padded_input(sender) * word;
    const std::size_t size = agreement_.padded_inputs(sender) * word;
    Hasher hasher;
    for (int plane = 0; plane < agreement_.ring.planes(); ++plane) {
      for (std::size_t r = first_row; r < first_row + rows; ++r) {
        hasher.add(std::span<const std::uint8_t>(all.row_bytes(plane, r) + from, size));
      }
    }
    return hasher.finish();
  }

  const field::RingMatrix& gather(data::Part part, std::span<const std::size_t> rows,
                                  field::RingMatrix& scratch) const override {
    const auto& all = parts_[static_cast<std::size_t>(part)];
    const auto word = static_cast<std::size_t>(agreement_.ring.word_bytes());
    for (int plane = 0; plane < agreement_.ring.planes(); ++plane) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        std::memcpy(scratch.row_bytes(plane, i), all.row_bytes(plane, rows[i]), all.cols() * word);
      }
    }
    return scratch;
  }

  void place(std::span<const SharePtr> models, field::RingMatrix& panels) const override {
    place_one_by_one(agreement_, models, panels);
  }

 private:
  const Agreement& agreement_;
  std::array<field::RingMatrix, data::kParts> parts_;
};

Result<field::RingMatrix> room(const Agreement& agreement, data::Part part,
                               const std::optional<std::filesystem::path>& folder, bool lasting) {
  const std::size_t rows = agreement.coded_rows(part), cols = agreement.total_padded_inputs();
  if (!folder || rows == 0) return field::RingMatrix(agreement.ring, rows, cols);
  const auto path = *folder / fmt::format("coded-rows-{}", static_cast<int>(part));
  const std::size_t size = field::RingMatrix::size_bytes(agreement.ring, rows, cols);
  FEDVS_TRY(auto memory,
            lasting ? MappedMemory::open_or_create(path, size) : MappedMemory::create(path, size));
  return field::RingMatrix::mapped(agreement.ring, rows, cols, std::move(memory));
}

}  // namespace

void place_one_by_one(const Agreement& agreement, std::span<const SharePtr> models,
                      field::RingMatrix& panels) {
  std::size_t first = 0;
  for (std::size_t n = 0; n < models.size(); ++n) {
    const std::size_t cols = field::panel_cols(agreement.padded_inputs(static_cast<int>(n)));
    if (models[n]) {
      models[n]->write(panels, first);
    } else {
      panels.clear_columns(first, cols);
    }
    first += cols;
  }
}

static Result<std::unique_ptr<CodedRows>> rows_in(
    const Agreement& agreement, const std::optional<std::filesystem::path>& folder, bool lasting) {
  std::array<field::RingMatrix, data::kParts> parts;
  for (int p = 0; p < data::kParts; ++p) {
    FEDVS_TRY(parts[static_cast<std::size_t>(p)],
              room(agreement, static_cast<data::Part>(p), folder, lasting));
  }
  return std::unique_ptr<CodedRows>(std::make_unique<StoredRows>(agreement, std::move(parts)));
}

Result<std::unique_ptr<CodedRows>> stored_rows(const Agreement& agreement,
                                               const std::optional<std::filesystem::path>& folder) {
  return rows_in(agreement, folder, /*lasting=*/false);
}

Result<std::unique_ptr<CodedRows>> lasting_rows(const Agreement& agreement,
                                                const std::filesystem::path& folder) {
  return rows_in(agreement, folder, /*lasting=*/true);
}

}  // namespace fedvs::protocol
