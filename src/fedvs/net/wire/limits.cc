#include "fedvs/net/wire/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "fedvs/data/prepared.h"
#include "fedvs/field/panels.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/protocol/chunks.h"

namespace fedvs::wire {
namespace {

std::size_t bytes_of(const protocol::Agreement& agreement, Extent extent) {
  return extent.rows * extent.cols * static_cast<std::size_t>(agreement.ring.bytes_per_element());
}

std::size_t largest_values(const protocol::Agreement& agreement) {
  std::size_t most =
      std::max({bytes_of(agreement, largest_batch(agreement)), largest_seeds(agreement),
                largest_gradient(agreement, agreement.most_rows()) * sizeof(float)});
  for (int n = 0; n < agreement.shape.parties; ++n) {
    most = std::max({most, bytes_of(agreement, largest_data_share(agreement, n)),
                     bytes_of(agreement, largest_model_share(agreement, n))});
  }
  return most;
}

}  // namespace

Extent largest_data_share(const protocol::Agreement& agreement, int from) {
  std::size_t rows = 0;  // of the largest part
  for (int part = 0; part < data::kParts; ++part) {
    rows = std::max(rows, agreement.coded_rows(static_cast<data::Part>(part)));
  }
  return {1, std::min(rows, protocol::kChunkRows) * agreement.inputs(from)};
}

Extent largest_model_share(const protocol::Agreement& agreement, int from) {
  return {field::panel_rows(agreement.width), field::panel_cols(agreement.padded_inputs(from))};
}

Extent largest_batch(const protocol::Agreement& agreement) {
  return {agreement.most_rows(), agreement.width};
}

std::size_t largest_gradient(const protocol::Agreement& agreement, std::size_t rows) {
  return rows * agreement.width * static_cast<std::size_t>(agreement.shape.blocks);
}

std::size_t largest_seeds(const protocol::Agreement& agreement) {
  return agreement.masked() ? agreement.family->sets.size() * sizeof(Key256) : 0;
}

// The largest is a step with two plans or a list of seeds. A plan takes 31 bytes for the version of
// a client and 11 for its group and flags; per row at most 10; twice each but for the group. A list
// takes 34 bytes for a commitment and 5 for the number of a set. A reason and what later minor
// versions add fit in the constant.
std::size_t largest_head(const protocol::Agreement& agreement) {
  const auto parties = static_cast<std::size_t>(agreement.shape.parties);
  const std::size_t sets = agreement.masked() ? agreement.family->sets.size() : 0;
  return 16384 + 24 * agreement.most_rows() + 1024 * parties + 48 * sets;
}

std::size_t largest_message(const protocol::Agreement& agreement) {
  constexpr std::size_t kTags = 1024;  // and fields added by later minor versions
  return largest_head(agreement) + largest_values(agreement) + kTags;
}

Status check_message_sizes(const protocol::Agreement& agreement) {
  const std::size_t most = largest_message(agreement);
  if (most < INT_MAX / 2) return {};
  return Error{ErrorCode::kBadJob,
               fmt::format("messages of this job have up to {} MiB, and parties on a network send "
                           "1023 at the most; spread the features over more clients, or lower "
                           "model.degrees, model.width or train.batch_size",
                           most >> 20)};
}

}  // namespace fedvs::wire
