#include "fedvs/run/trained_run.h"

#include <fmt/format.h>

#include "fedvs/base/bytes.h"
#include "fedvs/sim/parts.h"
#include "fedvs/store/checkpoint.h"

namespace fedvs::run {
namespace {

const std::string kKept = "kept/";  // before the names of parts

void write_texts(ByteWriter& out, const std::vector<std::string>& texts) {
  out.number<std::uint64_t>(texts.size());
  for (const auto& text : texts) out.text(text);
}

Result<std::vector<std::string>> read_texts(ByteReader& in) {
  FEDVS_TRY(const auto count, in.number<std::uint64_t>());
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < count; ++i) {
    FEDVS_TRY(std::string text, in.text());
    texts.push_back(std::move(text));
  }
  return texts;
}

Result<data::Standardiser> read_standardiser(ByteReader& in) {
  data::Standardiser s;
  FEDVS_TRY(s.mean, in.numbers<double>());
  FEDVS_TRY(s.spread, in.numbers<double>());
  FEDVS_TRY(s.clip, in.number<double>());
  return s;
}

Result<std::string> take(sim::Trial::Parts& parts, const char* name,
                         const std::filesystem::path& file) {
  auto found = sim::find_part(parts, name);
  if (!found) {
    return Error{found.error().code, fmt::format("{}: {}; it was not written by `fedvs train`",
                                                 file.string(), found.error().message)};
  }
  parts.erase(name);
  return found;
}

}  // namespace

Preparation Preparation::of(const data::PreparedJob& prepared) {
  return {prepared.standardisers, prepared.columns, prepared.class_names, prepared.client_columns,
          prepared.classes};
}

std::string Preparation::save() const {
  ByteWriter out;
  out.number(classes);
  write_texts(out, columns);
  write_texts(out, class_names);
  out.number<std::uint64_t>(standardisers.size());
  for (std::size_t n = 0; n < standardisers.size(); ++n) {
    out.numbers(client_columns[n]);
    out.numbers(standardisers[n].mean);
    out.numbers(standardisers[n].spread);
    out.number(standardisers[n].clip);
  }
  return out.take();
}

Result<Preparation> Preparation::parse(const std::string& bytes) {
  Preparation p;
  ByteReader in(bytes);
  FEDVS_TRY(p.classes, in.number<int>());
  FEDVS_TRY(p.columns, read_texts(in));
  FEDVS_TRY(p.class_names, read_texts(in));
  FEDVS_TRY(const auto clients, in.number<std::uint64_t>());
  for (std::uint64_t n = 0; n < clients; ++n) {
    FEDVS_TRY(auto columns, in.numbers<std::size_t>());
    FEDVS_TRY(auto standardiser, read_standardiser(in));
    p.client_columns.push_back(std::move(columns));
    p.standardisers.push_back(std::move(standardiser));
  }
  FEDVS_TRY_STATUS(in.finish());
  return p;
}

sim::Trial::Parts models_of(const sim::Trial::Parts& parts) {
  sim::Trial::Parts models;
  for (const auto& [name, bytes] : parts) {
    if (name == "central" || name.starts_with("client-")) models[name] = bytes;
  }
  return models;
}

Status save_run(const RunFolder& folder, const SavedRun& run) {
  auto parts = run.parts;
  for (const auto& [name, bytes] : run.kept) parts[kKept + name] = bytes;
  parts["totals"] = run.totals.save();
  parts["preparation"] = run.preparation.save();
  if (run.data) parts["data"] = run.data->save();
  return store::write_checkpoint(folder.checkpoint_file(), parts);
}

Result<SavedRun> load_run(const RunFolder& folder) {
  SavedRun run;
  const auto file = folder.checkpoint_file();
  FEDVS_TRY(run.parts, store::read_checkpoint(file));
  FEDVS_TRY(const std::string totals, take(run.parts, "totals", file));
  FEDVS_TRY(const std::string preparation, take(run.parts, "preparation", file));
  FEDVS_TRY(run.totals, RunTotals::parse(totals));
  FEDVS_TRY(run.preparation, Preparation::parse(preparation));
  if (run.parts.contains("data")) {
    FEDVS_TRY(const std::string data, take(run.parts, "data", file));
    FEDVS_TRY(run.data, data::DataDigest::parse(data));
  }
  for (auto at = run.parts.lower_bound(kKept);
       at != run.parts.end() && at->first.starts_with(kKept);) {
    run.kept[at->first.substr(kKept.size())] = std::move(at->second);
    at = run.parts.erase(at);
  }
  return run;
}

}  // namespace fedvs::run
