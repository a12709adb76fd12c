// A job: everything that all parties must agree on, as one TOML file.
// job/keys.cc holds the one table of keys that parses, prints, overrides and documents this struct.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/job/choices.h"

namespace fedvs {

struct DataJob {
  std::string name = "fashion-mnist";  // a built-in set, "csv" or "synthetic"
  std::string path;                    // csv: the file, or several separated by commas (views)
  std::string label;                   // csv: the label's column
  int clients = 0;                     // N; 0: the data set's own
  // csv: columns of each client, "a,b;c,d" = two clients; empty: dealt evenly
  std::string columns;
  std::vector<std::string> categorical;  // csv: one-hot these columns
  std::vector<std::string> ignore;       // csv: leave these columns out (row ids)
  std::string missing = "error";         // error | mean
  std::string split = "row";             // row | subject (Parkinson)
  std::int64_t split_seed = 1;
  double test_share = 0;        // 0: the data set's own; csv: 0.3
  double validation_share = 0;  // of the training rows
  double clip = 3.0;            // standardised values beyond it are cut
  int rows = 2000;              // synthetic
  int features = 32;            // synthetic
  int classes = 2;              // synthetic
};

struct ModelJob {
  int width = 64;                                   // h
  std::vector<int> degrees = {1};                   // D_n: one for all, or one per client
  std::string client = "pn";                        // pn | mlp | cnn; FedVS: pn
  Aggregation aggregation = Aggregation::kAverage;  // FedVS: average
  std::string central = "mlp";          // mlp | mlp-binary | credit | vgg13 | torchscript
  std::vector<int> hidden = {128, 64};  // of the central model
  std::string torchscript;              // file of the module
  double init_scale = 1.0;              // of the clients' initial weights
};

struct TrainJob {
  int epochs = 20;
  int batch_size = 256;            // samples, K * coded rows
  std::string optimizer = "adam";  // server: sgd | momentum | adam
  double lr = 0.001;
  std::string client_optimizer = "adam";
  double lr_client = 0.01;
  double momentum = 0.9;
  double weight_decay = 0;    // decoupled, both sides
  double lr_decay = 1.0;      // both rates are multiplied by it after every epoch
  double gradient_clip = 10;  // L2 norm that a row of the broadcast gradient is cut to
  int patience = 0;           // epochs without a better validation loss; 0: off
  int evaluate_every = 1;     // epochs
  IdleEpochs idle_epochs = IdleEpochs::kWait;
};

struct CodeJob {
  int blocks = 0;     // K; 0: chosen
  int colluding = 1;  // T
  std::string ring = "rns4";
  int l_x = 0;  // 0: automatic
  int l_w = 0;
};

struct ProtocolJob {
  OpeningKind opening = OpeningKind::kMasked;  // paper: m31 only
  LateModels late_models = LateModels::kReuse;
  int max_age = 10;          // rounds
  int max_catch_up = 10000;  // rounds
  int warmup_rounds = 5;
  double dead_after = 60;  // seconds without a sign
  OnDead on_dead = OnDead::kFreezeGroup;
  OnCorrupt on_corrupt = OnCorrupt::kStop;
  int corrupt_uploads = 0;                                 // e of on_corrupt = correct
  OnEquivocation equivocation = OnEquivocation::kBounded;  // networked parties only
};

struct PrivacyJob {    // of method wait-dp
  double epsilon = 5;  // of one release of one row
  double delta = 1e-5;
  double clip = 1;  // L2 norm that a row's embedding is cut to
};

struct SimJob {
  std::int64_t seed = 1;
  DelayKind delays = DelayKind::kPaper;
  double straggler_share = 0.5;  // of the clients
  double bandwidth_mbps = 300;
  double client_gmacs = 2;
  double server_gmacs = 20;
  Compute compute = Compute::kModelled;
  Topology topology = Topology::kDirect;
  DataShares data_shares = DataShares::kRemade;
};

struct Job {
  Method method = Method::kFedvs;
  Preset preset = Preset::kTuned;
  DataJob data;
  ModelJob model;
  TrainJob train;
  CodeJob code;
  ProtocolJob protocol;
  PrivacyJob dp;
  SimJob sim;
};

}  // namespace fedvs
