#include "fedvs/party/agree_on.h"

#include "fedvs/base/log.h"
#include "fedvs/protocol/exposure.h"

namespace fedvs::party {

Result<protocol::Agreement> agree_on(const Job& job, const deploy::Roster& roster,
                                     const wire::Terms& terms) {
  const std::vector<int> features(terms.features.begin(), terms.features.end());
  const std::size_t rows[] = {terms.rows[0], terms.rows[1], terms.rows[2]};
  FEDVS_TRY(auto agreement, protocol::agree(job, features, rows, static_cast<int>(terms.classes)));
  agreement.names = roster.client_names();
  const auto exposure = protocol::exposure_of(agreement);
  if (exposure.above_limit()) log::warning("{}", exposure.text());
  if (!exposure.above_limit()) log::info("{}", exposure.text());
  return agreement;
}

}  // namespace fedvs::party
