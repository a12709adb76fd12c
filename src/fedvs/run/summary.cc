#include "fedvs/run/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "fedvs/base/human.h"
#include "fedvs/run/origin.h"
#include "fedvs/sim/world.h"

namespace fedvs::run {
namespace {

double training_seconds(const sim::Trial& trial) {
  return trial.training_seconds(trial.training_ended());
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// What a FedVS run has beside the others.
nlohmann::json coded_facts(const Job& job, sim::World& world, const RunTotals& totals) {
  const auto& a = world.agreement();
  return {{"K", a.shape.blocks},
          {"T", a.shape.colluding},
          {"R", a.shape.threshold()},
          {"ring", a.ring.name()},
          {"l_x", a.scales.l_x},
          {"l_w", a.scales.l_w},
          {"secrets", "seeded: for simulation only"},
          {"topology", word(job.sim.topology)},
          {"revisions", totals.revisions},
          {"idle_rounds", totals.idle_rounds}};
}

std::string coded_text(sim::World& world, const RunTotals& t) {
  const auto& a = world.agreement();
  std::string text = fmt::format(
      "  stragglers  {} of {} uploads open a round; {:.0f} % of the models used were older ones; "
      "{} plans revised\n",
      a.shape.threshold(), a.shape.parties, percent(t.reused_models, t.named_models), t.revisions);
  text += fmt::format(
      "  privacy     the server saw the exact sum of {} clients' embeddings per coded row, {};\n"
      "              any {} client{} saw uniform shares, the plans and the gradients. No raw row "
      "or model left its owner\n",
      a.shape.parties,
      a.masked()
          ? "uniform otherwise"
          : "and, unmasked, the rest of the polynomial: with one client it may solve for data",
      a.shape.colluding, a.shape.colluding == 1 ? "" : "s together");
  return text + "  randomness  seeded, for simulation only: masks of this run can be recomputed\n";
}

std::string plain_text(const Job& job, const RunTotals& t) {
  const double rounds = static_cast<double>(std::max<std::uint64_t>(t.rounds, 1));
  return fmt::format(
      "  stragglers  {:.1f} clients were left out of a round\n"
      "  privacy     {}\n",
      static_cast<double>(t.late_uploads) / rounds,
      job.method == Method::kWaitDp
          ? fmt::format("every row of every upload is ({}, {})-differentially private by itself; "
                        "rounds are not composed",
                        job.dp.epsilon, job.dp.delta)
          : "none: the server saw every client's embeddings (plaintext, to compare with)");
}

// The epoch whose models the run keeps, where that is a choice.
const BestEpoch* kept_epoch(const Job& job, const RunTotals& totals) {
  return keeps_best(job) && totals.best ? &*totals.best : nullptr;
}

std::string kept_text(const BestEpoch& kept, int last_epoch) {
  return fmt::format(
      "  kept        the model of epoch {} of {}, whose validation loss, {:.4f}, was the lowest: "
      "accuracy and\n              metrics above are its own, and fedvs predict uses it\n",
      kept.epoch, last_epoch, kept.validation_loss);
}

}  // namespace

nlohmann::json summary_json(const Job& job, sim::Trial& trial, Recorder& recorder,
                            const std::string& run) {
  const auto& t = recorder.totals();
  nlohmann::json j = {{"method", word(job.method)},
                      {"data", job.data.name},
                      {"test_accuracy", t.test_accuracy},
                      {"best_test_accuracy", t.best_test_accuracy},
                      {"majority", t.majority},
                      {"rounds", t.rounds},
                      {"virtual_seconds", training_seconds(trial)},
                      {"setup_seconds", trial.setup_seconds()},
                      {"wait_for_all_seconds", t.wait_for_all_seconds},
                      {"wall_seconds", recorder.wall_seconds()},
                      {"bytes_per_client", trial.bytes_per_client()},
                      {"N", trial.client_count()},
                      {"seed", job.sim.seed},
                      {"reproducible", job.sim.compute == Compute::kModelled},
                      {"reused_models_percent", percent(t.reused_models, t.named_models)},
                      {"commit", own_origin().commit},
                      {"machine", own_origin().machine},
                      {"run", run}};
  if (auto* world = dynamic_cast<sim::World*>(&trial)) j.update(coded_facts(job, *world, t));
  const BestEpoch* kept = kept_epoch(job, t);
  if (kept != nullptr) {
    j["kept_epoch"] = kept->epoch;
    j["validation_loss"] = kept->validation_loss;
    j["test_accuracy"] = kept->test.accuracy;
  }
  if (const auto& m = kept != nullptr ? std::optional(kept->test) : recorder.test_metrics()) {
    j["test_balanced_accuracy"] = m->balanced_accuracy;
    j["test_f1"] = m->f1;
    j["test_loss"] = m->loss;
    if (m->auc) j["test_auc"] = *m->auc;
  }
  return j;
}

std::string summary_text(const Job& job, sim::Trial& trial, Recorder& recorder,
                         const std::string& run) {
  const auto& t = recorder.totals();
  const double seconds = training_seconds(trial);
  const BestEpoch* kept = kept_epoch(job, t);
  std::string text = fmt::format(
      "\n{} on {}: {:.2f} % test accuracy (best {:.2f} %, always the commonest class {:.2f} %)\n",
      word(job.method), job.data.name,
      100 * (kept != nullptr ? kept->test.accuracy : t.test_accuracy), 100 * t.best_test_accuracy,
      100 * t.majority);
  if (const auto& m = kept != nullptr ? std::optional(kept->test) : recorder.test_metrics()) {
    text +=
        fmt::format("  metrics     balanced accuracy {:.4f}, F1 {:.4f}{}\n", m->balanced_accuracy,
                    m->f1, m->auc ? fmt::format(", AUC {:.4f}", *m->auc) : "");
  }
  if (kept != nullptr) text += kept_text(*kept, recorder.epoch());
  text += fmt::format(
      "  virtual     {} for {} rounds; waiting for everybody every round: {} ({:.1f} times)\n",
      human_seconds(seconds), t.rounds, human_seconds(t.wait_for_all_seconds),
      t.wait_for_all_seconds / std::max(seconds, 1e-9));
  text += fmt::format("  here        {} of computing on this machine\n",
                      human_seconds(recorder.wall_seconds()));
  text += fmt::format(
      "  traffic     {} per client over {} links, and {:.1f} s of data sharing before\n",
      human_bytes(trial.bytes_per_client()), word(job.sim.topology), trial.setup_seconds());
  auto* world = dynamic_cast<sim::World*>(&trial);
  text += world ? coded_text(*world, t) : plain_text(job, t);
  return text + fmt::format("  run         {}\n", run);
}

}  // namespace fedvs::run
