#include "fedvs/job/keys.h"

#include <type_traits>
#include <utility>

namespace fedvs {
namespace {

template <auto Table, auto Member>
constexpr auto in() {
  using T = std::remove_reference_t<decltype(Job{}.*Table.*Member)>;
  if constexpr (std::is_enum_v<T>) {
    return JobChoice{
        [](Job& job, std::size_t place) { job.*Table.*Member = static_cast<T>(place); },
        [](const Job& job) { return static_cast<std::size_t>(job.*Table.*Member); }};
  } else {
    return JobField<T>{[](Job& job) -> T& { return job.*Table.*Member; },
                       [](const Job& job) -> const T& { return job.*Table.*Member; }};
  }
}
template <auto Member>
constexpr auto top() {
  using T = std::remove_reference_t<decltype(Job{}.*Member)>;
  return JobChoice{[](Job& job, std::size_t place) { job.*Member = static_cast<T>(place); },
                   [](const Job& job) { return static_cast<std::size_t>(job.*Member); }};
}

JobLimits any() { return {}; }
JobLimits one_of(std::vector<std::string> choices) { return {.choices = std::move(choices)}; }
template <class Choice>
JobLimits words() {
  const auto words = words_of(Choice{});
  return {.choices = {words.begin(), words.end()}};
}
JobLimits at_least(double low) { return {.low = low}; }
JobLimits above(double low) { return {.low = low, .low_open = true}; }
JobLimits share() { return {.low = 0, .high = 1, .high_open = true}; }
JobLimits automatic(JobLimits limits) {
  limits.zero_is_auto = true;
  return limits;
}

std::vector<JobKey> make_table() {
  using D = DataJob;
  using M = ModelJob;
  using Tr = TrainJob;
  using C = CodeJob;
  using P = ProtocolJob;
  using Dp = PrivacyJob;
  using S = SimJob;
  const JobLimits optimizers = one_of({"sgd", "momentum", "adam"});
  return {
      {"method", top<&Job::method>(), words<Method>(),
       "fedvs-paper: unmasked opening, ring m31, waits for every model, unless set otherwise; "
       "wait, ignore, vafl, wait-dp: plaintext split learning, to compare with"},
      {"preset", top<&Job::preset>(), words<Preset>(),
       "the data set's rates and batch size: ours, or the paper's plain SGD"},

      {"data.name", in<&Job::data, &D::name>(), any(),
       "a built-in set (`fedvs data list`), csv, synthetic, or, for networked runs, parties: each "
       "brings its own file"},
      {"data.path", in<&Job::data, &D::path>(), any(),
       "csv: the file, or one file per view separated by commas"},
      {"data.label", in<&Job::data, &D::label>(), any(), "csv: the label's column"},
      {"data.clients", in<&Job::data, &D::clients>(), automatic(at_least(1)),
       "N, clients that hold features; auto: the data set's own"},
      {"data.columns", in<&Job::data, &D::columns>(), any(),
       "csv: columns of each client, \"a,b;c,d\" is two clients; empty: dealt evenly"},
      {"data.categorical", in<&Job::data, &D::categorical>(), any(),
       "csv: columns to encode one-hot"},
      {"data.ignore", in<&Job::data, &D::ignore>(), any(),
       "csv: columns to leave out, such as row ids"},
      {"data.missing", in<&Job::data, &D::missing>(), one_of({"error", "mean"}),
       "csv: empty cells are an error, or get their column's mean"},
      {"data.split", in<&Job::data, &D::split>(), one_of({"row", "subject"}),
       "what is drawn for the test set: rows, or all rows of a subject (Parkinson)"},
      {"data.split_seed", in<&Job::data, &D::split_seed>(), at_least(0),
       "public seed of the row order and the train/validation/test split"},
      {"data.test_share", in<&Job::data, &D::test_share>(),
       automatic({.low = 0, .high = 1, .low_open = true, .high_open = true}),
       "share of the rows kept for testing; auto: the data set's own"},
      {"data.validation_share", in<&Job::data, &D::validation_share>(), share(),
       "share of the training rows kept for validation"},
      {"data.clip", in<&Job::data, &D::clip>(), above(0),
       "standardised values beyond this many spreads are cut"},
      {"data.rows", in<&Job::data, &D::rows>(), at_least(4), "synthetic: rows"},
      {"data.features", in<&Job::data, &D::features>(), at_least(1), "synthetic: columns"},
      {"data.classes", in<&Job::data, &D::classes>(), at_least(2), "synthetic: classes"},

      {"model.width", in<&Job::model, &M::width>(), at_least(1), "h, width of the embedding"},
      {"model.degrees", in<&Job::model, &M::degrees>(), at_least(1),
       "D_n, degree of the clients' polynomial networks (layers of mlp and cnn): one for all, or "
       "one "
       "per client"},
      {"model.client", in<&Job::model, &M::client>(), one_of({"pn", "mlp", "cnn"}),
       "the clients' networks; FedVS computes on shares, which takes pn"},
      {"model.aggregation", in<&Job::model, &M::aggregation>(), words<Aggregation>(),
       "what the server makes of the embeddings; FedVS: average"},
      {"model.central", in<&Job::model, &M::central>(),
       one_of({"mlp", "mlp-binary", "credit", "vgg13", "torchscript"}), "the server's model"},
      {"model.hidden", in<&Job::model, &M::hidden>(), at_least(1),
       "widths of the central model's hidden layers"},
      {"model.torchscript", in<&Job::model, &M::torchscript>(), any(),
       "central = torchscript: file of the module that Python saved"},
      {"model.init_scale", in<&Job::model, &M::init_scale>(), above(0),
       "scale of the clients' initial weights"},

      {"train.epochs", in<&Job::train, &Tr::epochs>(), at_least(1), "passes over the data"},
      {"train.batch_size", in<&Job::train, &Tr::batch_size>(), at_least(2),
       "samples per round: K times the coded rows"},
      {"train.optimizer", in<&Job::train, &Tr::optimizer>(), optimizers, "of the central model"},
      {"train.lr", in<&Job::train, &Tr::lr>(), above(0), "rate of the central model"},
      {"train.client_optimizer", in<&Job::train, &Tr::client_optimizer>(), optimizers,
       "of the clients' networks"},
      {"train.lr_client", in<&Job::train, &Tr::lr_client>(), above(0),
       "rate of the clients' networks, whose gradients averaging makes small"},
      {"train.momentum", in<&Job::train, &Tr::momentum>(), share(),
       "of optimizer = momentum, both sides"},
      {"train.weight_decay", in<&Job::train, &Tr::weight_decay>(), at_least(0),
       "decoupled, both sides"},
      {"train.lr_decay",
       in<&Job::train, &Tr::lr_decay>(),
       {.low = 0, .high = 1, .low_open = true},
       "both rates are multiplied by it after every epoch"},
      {"train.gradient_clip", in<&Job::train, &Tr::gradient_clip>(), above(0),
       "L2 norm that every row of the broadcast gradient is cut to; clients refuse longer ones"},
      {"train.patience", in<&Job::train, &Tr::patience>(), at_least(0),
       "epochs without a better validation loss before stopping; 0: never stop early"},
      {"train.evaluate_every", in<&Job::train, &Tr::evaluate_every>(), at_least(1),
       "epochs between evaluations"},
      {"train.idle_epochs", in<&Job::train, &Tr::idle_epochs>(), words<IdleEpochs>(),
       "when absent clients keep all from learning: wait for them before the next epoch, or train "
       "on and count it"},

      {"code.K", in<&Job::code, &C::blocks>(), automatic(at_least(1)),
       "segments that the rows are cut in; auto: the fastest, as `fedvs plan` predicts it"},
      {"code.T", in<&Job::code, &C::colluding>(), at_least(1),
       "clients that may collude and still learn nothing"},
      {"code.ring", in<&Job::code, &C::ring>(),
       one_of({"m31", "rns4", "rns5", "rns6", "rns7", "rns8"}), "what is computed in"},
      {"code.l_x", in<&Job::code, &C::l_x>(), automatic({.low = 1, .high = 30}),
       "fixed-point bits of the data"},
      {"code.l_w", in<&Job::code, &C::l_w>(), automatic({.low = 1, .high = 30}),
       "fixed-point bits of the models"},

      {"protocol.opening", in<&Job::protocol, &P::opening>(), words<OpeningKind>(),
       "masked: the server sees the sums alone; paper: unmasked, ring m31 only"},
      {"protocol.late_models", in<&Job::protocol, &P::late_models>(), words<LateModels>(),
       "when a model is late: use the group's old one, wait (the paper), drop the group"},
      {"protocol.max_age", in<&Job::protocol, &P::max_age>(), at_least(1),
       "rounds after which a group's old models are waited for"},
      {"protocol.max_catch_up", in<&Job::protocol, &P::max_catch_up>(), at_least(1),
       "rounds that a client may have missed and still catch up; the server keeps that many "
       "gradients, or 1 GiB of them, and no more"},
      {"protocol.warmup_rounds", in<&Job::protocol, &P::warmup_rounds>(), at_least(1),
       "rounds that wait for every model and so measure who is late, before groups form"},
      {"protocol.dead_after", in<&Job::protocol, &P::dead_after>(), above(0),
       "seconds without a sign of life"},
      {"protocol.on_dead", in<&Job::protocol, &P::on_dead>(), words<OnDead>(),
       "release lets the server tell the dead client's model apart"},
      {"protocol.on_corrupt", in<&Job::protocol, &P::on_corrupt>(), words<OnCorrupt>(),
       "when an upload is wrong"},
      {"protocol.corrupt_uploads", in<&Job::protocol, &P::corrupt_uploads>(), at_least(0),
       "e of on_corrupt = correct, which waits for R + 2e uploads"},
      {"protocol.equivocation", in<&Job::protocol, &P::equivocation>(), words<OnEquivocation>(),
       "whose word a networked client needs that it was shown the same plans: of Q lately, of Q "
       "for "
       "this plan, of nobody"},

      {"dp.epsilon", in<&Job::dp, &Dp::epsilon>(), above(0),
       "wait-dp: privacy of one release of one row; rounds are not composed"},
      {"dp.delta",
       in<&Job::dp, &Dp::delta>(),
       {.low = 0, .high = 1, .low_open = true, .high_open = true},
       "wait-dp"},
      {"dp.clip", in<&Job::dp, &Dp::clip>(), above(0),
       "wait-dp: L2 norm that the embedding of a row is cut to"},

      {"sim.seed", in<&Job::sim, &S::seed>(), at_least(0),
       "seed of delays, initial weights and the simulated parties' secrets"},
      {"sim.delays", in<&Job::sim, &S::delays>(), words<DelayKind>(), "straggling"},
      {"sim.straggler_share", in<&Job::sim, &S::straggler_share>(), share(),
       "of the clients, slow under delays = paper"},
      {"sim.bandwidth_mbps", in<&Job::sim, &S::bandwidth_mbps>(), above(0),
       "Mbit/s in and out of every party"},
      {"sim.client_gmacs", in<&Job::sim, &S::client_gmacs>(), above(0),
       "a client's speed, 10^9 multiply-adds per second"},
      {"sim.server_gmacs", in<&Job::sim, &S::server_gmacs>(), above(0), "the server's speed"},
      {"sim.compute", in<&Job::sim, &S::compute>(), words<Compute>(),
       "measured: by this machine's clock, so the run is not reproducible"},
      {"sim.topology", in<&Job::sim, &S::topology>(), words<Topology>(),
       "how shares travel: client to client, or through the server"},
      {"sim.data_shares", in<&Job::sim, &S::data_shares>(), words<DataShares>(),
       "remade: coded rows are made again for each batch, which takes 1/N of the memory; kept: "
       "every client keeps its shares of all rows, in mapped files, as a networked one does"},
  };
}

}  // namespace

std::span<const JobKey> job_keys() {
  static const std::vector<JobKey> table = make_table();
  return table;
}

}  // namespace fedvs
