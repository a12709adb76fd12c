// The numbers of plaintext split learning: the clients' networks and columns, the server's central
// model and labels. What is computed when is for the methods to say.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fedvs/baselines/aggregation.h"
#include "fedvs/baselines/gaussian_mechanism.h"
#include "fedvs/baselines/machines.h"
#include "fedvs/data/prepared.h"
#include "fedvs/model/central.h"
#include "fedvs/model/client_network.h"
#include "fedvs/model/metrics.h"

namespace fedvs::baselines {

class Parties {
 public:
  // Consumes the features. Initial weights are those of FedVS by the same seed.
  static Result<std::unique_ptr<Parties>> create(const Job& job, data::PreparedJob prepared);

  int clients() const { return static_cast<int>(networks_.size()); }
  std::size_t width() const { return width_; }
  std::size_t rows(data::Part part) const { return labels_[static_cast<int>(part)].size(); }
  RowCosts costs() const;

  using Samples = std::vector<std::size_t>;
  // One client's embeddings of training samples as the server gets them in a round: with
  // differential privacy, cut and noisy.
  std::vector<float> upload(int client, const Samples& samples, std::uint64_t round);
  struct Learned {
    double loss;
    std::vector<float> gradient;  // by the combined embeddings
  };
  Learned teach_server(const Embeddings& embeddings, const Samples& samples);
  // One client's step, from the gradient by the combined embeddings.
  void teach(int client, const Samples& samples, const Embeddings& embeddings,
             const Learned& learned);
  void scale_rate(double factor);

  // Of the averages (or other combinations) over all clients; with differential privacy cut, but
  // without noise.
  model::Metrics evaluate(data::Part part);

  using Parts = std::map<std::string, std::string>;
  Parts save() const;
  Status restore(const Parts& parts);  // kCorrupt

 private:
  Parties() = default;
  data::Table features(int client, data::Part part, const Samples& samples) const;
  std::vector<int> labels_of(const Samples& samples) const;

  std::vector<data::Prepared> data_;
  std::vector<std::unique_ptr<model::ClientNetwork>> networks_;
  std::unique_ptr<model::CentralModel> central_;
  std::vector<int> labels_[data::kParts];
  std::size_t width_ = 0;
  int classes_ = 0;
  Aggregation aggregation_ = Aggregation::kAverage;
  std::optional<RowRelease> release_;  // wait-dp
  std::uint64_t seed_ = 0;
};

}  // namespace fedvs::baselines
