// fedvs server --predict: scores new rows with a finished networked training, over the same coded
// path: the clients share the rows, and only their summed embeddings are opened.
#include "fedvs/cli/score.h"

#include <fmt/format.h>

#include <ctime>
#include <iostream>

#include "fedvs/base/files.h"
#include "fedvs/cli/commands.h"
#include "fedvs/cli/output_file.h"
#include "fedvs/cli/scores.h"
#include "fedvs/cli/stop_signals.h"
#include "fedvs/party/server_party.h"

namespace fedvs::cli {
namespace {

using party::ServerParty;

struct Scoring {
  std::unique_ptr<ServerParty> server;
  data::NewLabels rows;
};

Result<Scoring> make_scoring(const ServerOptions& options, protocol::Observer& observer) {
  FEDVS_TRY(auto identity, deploy::load_server_folder(options.dir, std::time(nullptr)));
  FEDVS_TRY(const auto address,
            deploy::parse_address(options.listen.empty() ? identity.roster.server.text()
                                                         : options.listen));
  FEDVS_TRY_STATUS(deploy::check_trial(identity.roster, address));
  FEDVS_TRY(auto trained, party::load_trained_server(options.dir));
  Scoring scoring;
  FEDVS_TRY(scoring.rows, data::read_new_label_csv(options.predict, {.label_column = options.label},
                                                   trained.classes.labels));
  const std::vector<int> unknown(scoring.rows.rows.ids.size(), 0);
  const data::PartyLabels labels{scoring.rows.rows, scoring.rows.labels.value_or(unknown),
                                 trained.classes.labels};
  FEDVS_TRY(scoring.server, ServerParty::create(std::move(identity), labels,
                                                {.folder = options.dir,
                                                 .trained = std::move(trained),
                                                 .listen = address.text(),
                                                 .wait_for_clients = options.wait,
                                                 .stop = stop_requested},
                                                observer));
  return scoring;
}

Status run(ServerParty& server, run::Progress& progress) {
  if (server.finished_before()) {
    progress.line("these rows have been scored before; the scores were kept");
    return {};
  }
  FEDVS_TRY_STATUS(server.listen());
  progress.line(fmt::format("listening at port {}; {} clients are expected, with --predict",
                            server.port(), server.client_count()));
  catch_stop_signals();
  return server.run();
}

std::string accuracy(const Scores& scores, const data::NewLabels& rows) {
  if (!rows.labels) return "";
  std::size_t right = 0;
  for (std::size_t row = 0; row < rows.labels->size(); ++row) {
    if (static_cast<int>(predicted_class(scores, row)) == (*rows.labels)[row]) ++right;
  }
  return fmt::format(", accuracy {:.2f} %",
                     100.0 * static_cast<double>(right) / static_cast<double>(rows.labels->size()));
}

}  // namespace

Status score(const ServerOptions& options, run::Progress& progress) {
  FEDVS_TRY_STATUS(check_output("--out", options.out, {options.predict}));
  protocol::Observer nobody;
  FEDVS_TRY(const auto scoring, make_scoring(options, nobody));
  FEDVS_TRY_STATUS(run(*scoring.server, progress));
  const Scores scores{scoring.rows.rows.ids, scoring.server->labels().class_names,
                      scoring.server->scores()};
  const std::string text = options.json ? scores_json(scores) : scores_csv(scores);
  if (options.out.empty()) {
    std::cout << text;
  } else {
    FEDVS_TRY_STATUS(write_atomically(options.out, text));
  }
  progress.line(fmt::format("{} rows scored{}{}", scores.ids.size(),
                            options.out.empty() ? "" : ": " + options.out,
                            accuracy(scores, scoring.rows)));
  return {};
}

}  // namespace fedvs::cli
