// fedvs predict: scores new rows with a trained run, over the same coded path as training: the
// clients share the new rows, and only their summed embeddings are opened.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "fedvs/base/files.h"
#include "fedvs/base/thread_pool.h"
#include "fedvs/cli/commands.h"
#include "fedvs/cli/output_file.h"
#include "fedvs/cli/scores.h"
#include "fedvs/data/catalog.h"
#include "fedvs/data/clients.h"
#include "fedvs/data/csv_dataset.h"
#include "fedvs/data/idx.h"
#include "fedvs/job/presets.h"
#include "fedvs/run/trained_run.h"
#include "fedvs/sim/world.h"

namespace fedvs::cli {
namespace {

// Training means by column, for cells that are missing.
std::vector<double> column_means(const run::Preparation& p) {
  std::vector<double> means(p.columns.size(), 0.0);
  for (std::size_t n = 0; n < p.client_columns.size(); ++n) {
    for (std::size_t c = 0; c < p.client_columns[n].size(); ++c) {
      means[p.client_columns[n][c]] = p.standardisers[n].mean[c];
    }
  }
  return means;
}

Result<data::Table> read_images(const std::string& path, std::size_t columns) {
  FEDVS_TRY(const auto images, data::read_idx_images(path));
  const std::size_t pixels = images.height * images.width;
  if (pixels != columns) {
    return Error{ErrorCode::kBadData,
                 fmt::format("{} has images of {} pixels; the run was trained on "
                             "{} columns",
                             path, pixels, columns)};
  }
  data::Table table{.rows = images.count, .cols = pixels, .values = {}};
  table.values.assign(images.image(0), images.image(0) + images.count * pixels);
  return table;
}

Result<data::Table> read_rows(const PredictOptions& options, const Job& job,
                              const run::Preparation& p) {
  if (data::is_image_set(job.data.name)) return read_images(options.data, p.columns.size());
  data::CsvSource source;
  source.paths = data::split_list(options.data, ',');
  source.categorical = job.data.categorical;
  source.mean_for_missing = job.data.missing == "mean";
  return data::read_csv_rows(source, p.columns, column_means(p));
}

data::PreparedJob prepare(const run::Preparation& p, data::Table table) {
  data::Dataset set;
  set.features = std::move(table);
  set.columns = p.columns;
  std::vector<std::size_t> rows(set.features.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  data::PreparedJob prepared;
  for (std::size_t n = 0; n < p.client_columns.size(); ++n) {
    data::Prepared client;
    for (auto& part : client.features) part.cols = p.client_columns[n].size();
    client.features[static_cast<int>(data::Part::kTest)] =
        p.standardisers[n].apply(set, p.client_columns[n], rows);
    prepared.clients.push_back(std::move(client));
  }
  prepared.labels[static_cast<int>(data::Part::kTest)].assign(set.features.rows, 0);
  prepared.classes = p.classes;
  return prepared;
}

// A world whose models are the trained ones and whose only rows are the new ones.
Result<std::vector<float>> score(const run::SavedRun& run, const Job& job,
                                 data::PreparedJob prepared) {
  protocol::Observer nobody;
  FEDVS_TRY(auto world, sim::World::create(job, std::move(prepared), nobody));
  FEDVS_TRY_STATUS(world->adopt(run.kept.empty() ? run.parts : run.kept));
  world->run();
  FEDVS_TRY_STATUS(world->status());
  return world->learner().probabilities();
}

Scores with_names(const run::Preparation& p, std::vector<float> probabilities) {
  Scores scores{{}, p.class_names, std::move(probabilities)};
  for (std::size_t c = scores.classes.size(); c < static_cast<std::size_t>(p.classes); ++c) {
    scores.classes.push_back(std::to_string(c));
  }
  return scores;
}

// Before anything is read or computed.
Status check_out(const PredictOptions& options, const run::RunFolder& run) {
  std::vector<std::filesystem::path> inputs{run.job_file(), run.checkpoint_file(),
                                            run.events_file(), run.metrics_file(), options.data};
  for (const auto& path : data::split_list(options.data, ',')) inputs.emplace_back(path);
  return check_output("--out", options.out, inputs);
}

Status predict_rows(const PredictOptions& options) {
  FEDVS_TRY(const auto folder, run::RunFolder::open(options.run));
  FEDVS_TRY_STATUS(check_out(options, folder));
  if (!is_coded(folder.job())) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("{} is a run of method {}, which is there to compare with; train one "
                             "of method fedvs to predict",
                             options.run, word(folder.job().method))};
  }
  FEDVS_TRY(const auto run, run::load_run(folder));
  if (!run.totals.finished) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("{} is not finished; go on with: fedvs train --resume {}", options.run,
                             options.run)};
  }
  FEDVS_TRY(auto table, read_rows(options, folder.job(), run.preparation));
  if (table.rows == 0) return Error{ErrorCode::kBadData, options.data + " has no rows"};
  const std::size_t rows = table.rows;
  FEDVS_TRY(auto probabilities,
            score(run, folder.job(), prepare(run.preparation, std::move(table))));
  const Scores scores = with_names(run.preparation, std::move(probabilities));
  const std::string text = options.json ? scores_json(scores) : scores_csv(scores);
  if (options.out.empty()) {
    std::cout << text;
    return {};
  }
  FEDVS_TRY_STATUS(write_atomically(options.out, text));
  std::cerr << fmt::format("{} rows scored: {}\n", rows, options.out);
  return {};
}

}  // namespace

ExitStatus predict(const PredictOptions& options) {
  ThreadPool::set_default_threads(std::max(1, options.threads));
  const auto status = predict_rows(options);
  if (status) return kOk;
  std::cerr << "fedvs predict: " << status.error().message << "\n";
  return exit_status(status.error());
}

}  // namespace fedvs::cli
