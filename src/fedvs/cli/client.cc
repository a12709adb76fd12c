// fedvs client: one party of a networked run, with its own columns.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iostream>

#include "fedvs/base/abandoned_files.h"
#include "fedvs/base/log.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/cli/commands.h"
#include "fedvs/cli/stop_signals.h"
#include "fedvs/deploy/confirmation.h"
#include "fedvs/party/client_party.h"
#include "fedvs/party/refused.h"

namespace fedvs::cli {
namespace {

Status attend(const ClientOptions& options) {
  remove_abandoned_files(options.dir);
  if (!options.take_part_again) {
    FEDVS_TRY_STATUS(party::check_refused(options.dir, /*again=*/false));
  }
  FEDVS_TRY(auto identity, deploy::load_client_folder(options.dir, std::time(nullptr)));
  FEDVS_TRY(const auto address,
            deploy::parse_address(options.server.empty() ? identity.roster.server.text()
                                                         : options.server));
  FEDVS_TRY_STATUS(deploy::check_trial(identity.roster, address));
  FEDVS_TRY_STATUS(deploy::confirm_roster(options.dir, identity.roster, options.fingerprint));
  const auto csv = data::party_csv(identity.job.data);
  std::optional<party::TrainedClient> trained;
  if (options.predict) {
    FEDVS_TRY(trained, party::load_trained_client(
                           options.dir, static_cast<int>(identity.roster.clients.size())));
  }
  FEDVS_TRY(auto rows, trained ? data::read_new_party_csv(options.data, csv, trained->columns,
                                                          trained->standardiser.mean)
                               : data::read_party_csv(options.data, csv));
  log::info("{}: {} rows of {} columns; the server is at {}", identity.name, rows.features.rows,
            rows.features.cols, address.text());
  FEDVS_TRY(auto client, party::ClientParty::create(std::move(identity), std::move(rows),
                                                    {.folder = options.dir,
                                                     .trained = std::move(trained),
                                                     .server = options.server,
                                                     .give_up_after = options.give_up,
                                                     .take_part_again = options.take_part_again,
                                                     .stop = stop_requested}));
  if (client->finished_before()) {
    log::info("this client's part was finished before; to train anew, move {}/state away",
              options.dir);
    return {};
  }
  catch_stop_signals();
  return client->run();
}

}  // namespace

ExitStatus client(const ClientOptions& options) {
  ThreadPool::set_default_threads(std::max(1, options.threads));
  const Status status = attend(options);
  if (status) {
    std::cerr << "the run is complete\n";
    return kOk;
  }
  std::cerr << "fedvs client: " << status.error().message << "\n";
  return exit_status(status.error());
}

}  // namespace fedvs::cli
