#include "fedvs/cli/away.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/protocol/exposure.h"

namespace fedvs::cli {

int away_for_moments(const coding::Shape& shape) { return shape.stragglers(); }
int away_for_long(const coding::Shape& shape) {
  return shape.parties - std::max(shape.threshold(), shape.quorum());
}

std::string away_text(const coding::Shape& shape) {
  const int quorum = shape.quorum();
  std::string text = fmt::format(
      "Away: {} of {} clients for moments (N - R, R = {}), {} for long (N - {}, Q = {}).",
      away_for_moments(shape), shape.parties, shape.threshold(), away_for_long(shape),
      quorum > shape.threshold() ? "Q" : "R, which is no less than Q", quorum);
  if (protocol::one_group(shape.parties, shape.colluding)) {
    text += fmt::format(
        "\nWarning: {} clients are fewer than 2 (T + 2) = {}, so all form one group: while a "
        "single "
        "client is away, NO client learns. More clients{} avoid that.",
        shape.parties, 2 * (shape.colluding + 2),
        shape.colluding > 1 ? ", or a smaller code.T," : "");
  }
  return text;
}

coding::Shape networked_shape(const Job& job, int clients) {
  const int blocks =
      job.code.blocks > 0 ? job.code.blocks : coding::default_blocks(clients, job.code.colluding);
  return {clients, blocks, job.code.colluding};
}

}  // namespace fedvs::cli
