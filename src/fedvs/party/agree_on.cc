#include "fedvs/party/agree_on.h"

#include "fedvs/party/exposure_log.h"

namespace fedvs::party {

Result<protocol::Agreement> agree_on(const Job& job, const deploy::Roster& roster,
                                     const wire::Terms& terms) {
  const std::vector<int> features(terms.features.begin(), terms.features.end());
  const std::size_t rows[] = {terms.rows[0], terms.rows[1], terms.rows[2]};
  FEDVS_TRY(auto agreement, protocol::agree(job, features, rows, static_cast<int>(terms.classes)));
  agreement.names = roster.client_names();
  log_exposure(protocol::exposure_of(agreement));
  return agreement;
}

}  // namespace fedvs::party
