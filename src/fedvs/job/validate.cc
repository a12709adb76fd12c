#include <fmt/format.h>

#include "fedvs/job/parse.h"
#include "fedvs/job/presets.h"
#include "fedvs/job/toml_values.h"

namespace fedvs {
namespace {

Status reject_if(bool bad, std::string message) {
  if (bad) return Error{ErrorCode::kBadJob, std::move(message)};
  return {};
}

Status check_every_key(const Job& job) {
  for (const auto& key : job_keys()) {
    const JobValue value = value_of(key, job);
    Job scratch;
    if (const auto complaint = assign(key, scratch, value)) {
      return Error{ErrorCode::kBadJob,
                   fmt::format("{} = {}: {}", key.name, to_toml_text(value), *complaint)};
    }
  }
  return {};
}

Status check_data(const Job& job) {
  const DataJob& data = job.data;
  const bool csv = data.name == "csv";
  FEDVS_TRY_STATUS(
      reject_if(csv && data.path.empty(), "data.name = \"csv\" needs a file: set data.path to it"));
  FEDVS_TRY_STATUS(reject_if(csv && data.label.empty(),
                             "data.name = \"csv\" needs data.label: the name of the label's "
                             "column in the file's header"));
  return reject_if(job.preset == Preset::kPaper && !has_paper_preset(data.name),
                   fmt::format("preset = \"paper\" has no settings for data.name = \"{}\": set "
                               "preset = \"tuned\"",
                               data.name));
}

Status check_model(const Job& job) {
  const ModelJob& model = job.model;
  FEDVS_TRY_STATUS(reject_if(model.central == "torchscript" && model.torchscript.empty(),
                             "model.central = \"torchscript\" needs model.torchscript: the file "
                             "that torch.jit.save wrote"));
  const auto degrees = model.degrees.size(), clients = std::size_t(job.data.clients);
  return reject_if(
      degrees > 1 && clients > 0 && degrees != clients,
      fmt::format("model.degrees lists {} degrees for {} clients (data.clients): list one per "
                  "client, or a single one for all",
                  degrees, clients));
}

Status check_method(const Job& job) {
  if (!is_coded(job)) return {};
  FEDVS_TRY_STATUS(reject_if(
      job.model.client != "pn",
      fmt::format("model.client = \"{}\" cannot be computed on shares: method {} takes \"pn\", and "
                  "wait, ignore, vafl or wait-dp take any",
                  job.model.client, word(job.method))));
  return reject_if(
      job.model.aggregation != Aggregation::kAverage,
      fmt::format("model.aggregation = \"{}\" would show the server single embeddings: method {} "
                  "takes \"average\", and wait, ignore, vafl or wait-dp take any",
                  word(job.model.aggregation), word(job.method)));
}

Status check_protocol(const Job& job) {
  const ProtocolJob& protocol = job.protocol;
  FEDVS_TRY_STATUS(reject_if(
      protocol.opening == OpeningKind::kPaper && job.code.ring != "m31",
      fmt::format("protocol.opening = \"paper\" works in ring m31 only, and code.ring = \"{}\": "
                  "set code.ring = \"m31\" or protocol.opening = \"masked\"",
                  job.code.ring)));
  FEDVS_TRY_STATUS(reject_if(
      protocol.late_models == LateModels::kDrop && protocol.on_dead == OnDead::kRelease,
      "protocol.on_dead = \"release\" with protocol.late_models = \"drop\" would open sums of a "
      "released client alone, since the others of its group may be dropped: set protocol.on_dead = "
      "\"freeze-group\", or protocol.late_models = \"reuse\""));
  return reject_if(protocol.on_corrupt == OnCorrupt::kCorrect && protocol.corrupt_uploads == 0,
                   "protocol.on_corrupt = \"correct\" needs protocol.corrupt_uploads: how many "
                   "wrong uploads to correct, at least 1");
}

}  // namespace

Status validate(const Job& job) {
  FEDVS_TRY_STATUS(check_every_key(job));
  FEDVS_TRY_STATUS(check_data(job));
  FEDVS_TRY_STATUS(check_model(job));
  FEDVS_TRY_STATUS(check_method(job));
  FEDVS_TRY_STATUS(check_protocol(job));
  return reject_if(job.train.patience > 0 && job.data.validation_share == 0,
                   fmt::format("train.patience = {} watches the validation loss: set "
                               "data.validation_share = 0.1, or train.patience = 0",
                               job.train.patience));
}

}  // namespace fedvs
