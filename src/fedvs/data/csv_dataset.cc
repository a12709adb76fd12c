#include "fedvs/data/csv_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "fedvs/data/clients.h"
#include "fedvs/data/csv_views.h"
#include "fedvs/data/feature_table.h"

namespace fedvs::data {
namespace {

Error bad_job(const std::string& message) { return {ErrorCode::kBadJob, message}; }

// One client per view that has features.
ClientColumns client_per_view(const std::vector<FeatureColumn>& features, std::size_t views) {
  ClientColumns by_view(views), clients;
  for (std::size_t i = 0; i < features.size(); ++i) by_view[features[i].view].push_back(i);
  for (auto& columns : by_view)
    if (!columns.empty()) clients.push_back(std::move(columns));
  return clients;
}

Result<ClientColumns> assign_clients(const CsvSource& source,
                                     const std::vector<FeatureColumn>& features,
                                     std::size_t views) {
  if (source.columns.empty() && source.clients == 0) return client_per_view(features, views);
  if (source.columns.empty()) return deal_evenly(features.size(), source.clients);
  std::vector<std::string> names;
  for (const FeatureColumn& feature : features) names.push_back(feature.name);
  FEDVS_TRY(ClientColumns clients, parse_client_columns(source.columns, names));
  if (source.clients != 0 && static_cast<std::size_t>(source.clients) != clients.size())
    return bad_job(
        fmt::format("data.clients = {}, but data.columns lists {} clients; leave "
                    "data.clients out or make them agree",
                    source.clients, clients.size()));
  return clients;
}

// Drops the features that no client holds, and renumbers.
void keep_held(std::vector<FeatureColumn>& features, ClientColumns& clients) {
  std::vector<std::size_t> held, place(features.size(), 0);
  for (const auto& columns : clients) held.insert(held.end(), columns.begin(), columns.end());
  std::sort(held.begin(), held.end());
  std::vector<FeatureColumn> kept;
  for (std::size_t i : held) {
    place[i] = kept.size();
    kept.push_back(features[i]);
  }
  for (auto& columns : clients)
    for (std::size_t& column : columns) column = place[column];
  features = std::move(kept);
}

ClientColumns expand_clients(const ClientColumns& clients, const std::vector<std::size_t>& first) {
  ClientColumns expanded(clients.size());
  for (std::size_t n = 0; n < clients.size(); ++n)
    for (std::size_t column : clients[n])
      for (std::size_t f = first[column]; f < first[column + 1]; ++f) expanded[n].push_back(f);
  return expanded;
}

Status set_labels(Dataset& set, Categories labels, const std::string& where) {
  FEDVS_TRY_STATUS(check_classes(labels, where));
  set.classes = static_cast<int>(labels.names.size());
  set.class_names = std::move(labels.names);
  set.labels = std::move(labels.of_row);
  return {};
}

}  // namespace

Result<Dataset> read_csv(const CsvSource& source) {
  FEDVS_TRY(CsvViews views, CsvViews::open(source.paths));
  FEDVS_TRY(const FeatureColumn label, views.find("data.label", source.label));
  views.use(label, ColumnUse::kLabel);
  std::vector<std::string> hidden = source.ignore;
  for (const std::string& name : source.ignore)
    FEDVS_TRY_STATUS(views.require("data.ignore", name));
  hidden.push_back(source.label);
  FeatureColumn subject;
  if (!source.subject.empty()) {
    FEDVS_TRY(subject, views.find("subject", source.subject));
    views.use(subject, ColumnUse::kRequired);
    hidden.push_back(source.subject);
  }
  FEDVS_TRY(std::vector<FeatureColumn> features, views.features(hidden, source.categorical));
  FEDVS_TRY(ClientColumns clients, assign_clients(source, features, views.count()));
  keep_held(features, clients);
  views.use(features);
  FEDVS_TRY_STATUS(views.read(source.mean_for_missing));

  Dataset set;
  set.name = "csv";
  FEDVS_TRY_STATUS(
      set_labels(set, sort_categories(views.text(label)),
                 fmt::format("{}: label column \"{}\"", views.path(label.view), source.label)));
  if (!source.subject.empty()) {
    const Categories subjects = sort_categories(views.text(subject));
    set.subjects.assign(subjects.of_row.begin(), subjects.of_row.end());
  }
  FEDVS_TRY(FeatureTable table, expand_features(views, features));
  FEDVS_TRY_STATUS(fill_with_means(table.features, table.names));
  set.client_columns = expand_clients(clients, table.first);
  set.features = std::move(table.features);
  set.columns = std::move(table.names);
  return set;
}

Result<bool> means_for_missing(const std::string& missing) {
  if (missing == "error" || missing == "mean") return missing == "mean";
  return bad_job(fmt::format("data.missing = \"{}\"; use \"error\" or \"mean\"", missing));
}

Result<CsvSource> csv_source(const DataJob& job) {
  CsvSource source;
  source.paths = split_list(job.path, ',');
  if (job.path.empty())
    return bad_job("data.path is not set; name the CSV file, or several separated by commas");
  for (const std::string& path : source.paths)
    if (path.empty())
      return bad_job(
          fmt::format("data.path = \"{}\" has an empty file name; remove a comma", job.path));
  if (job.label.empty())
    return bad_job("data.label is not set; name the column that holds the label");
  FEDVS_TRY(source.mean_for_missing, means_for_missing(job.missing));
  if (source.paths.size() == 1 && job.clients == 0 && job.columns.empty())
    return bad_job(
        "data.clients is not set; say how many clients share the columns of the file, "
        "or list them in data.columns");
  source.label = job.label;
  source.ignore = job.ignore;
  source.categorical = job.categorical;
  source.columns = job.columns;
  source.clients = job.clients;
  return source;
}

}  // namespace fedvs::data
