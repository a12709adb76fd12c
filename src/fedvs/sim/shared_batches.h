// The factors of all clients' products in one process, made together from what they know together.
// Coded rows: the K segments' rows and the T masks of all senders side by side, once per batch, and
// from them the rows of every client in one pass; models alike (shared_models.h). The same bytes as
// shares sent and kept, at 1/N of their memory.
//   X~_m = sum_k X_k l_k(alpha_m) + sum_t Z_t l_{K+t}(alpha_m)                   Paper: Eq. (2)
#pragma once
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "fedvs/coding/lagrange.h"
#include "fedvs/protocol/chunks.h"
#include "fedvs/protocol/client/coded_rows.h"
#include "fedvs/protocol/client/local_model.h"
#include "fedvs/sim/client_work.h"
#include "fedvs/sim/shared_models.h"

namespace fedvs::sim {

class SharedBatches {
 public:
  SharedBatches(const protocol::Agreement& agreement, const coding::LagrangeCode& code,
                SecretSource& secrets);
  // In the order of the clients, whose rows lie side by side (rows_side_by_side), before the first
  // load. Draws the masks of its rows.
  void add(const protocol::LocalModel& model);
  std::unique_ptr<protocol::CodedRows> rows_of(int client);

  // Whether all that an upload is computed from has been made, but perhaps its own rows.
  bool loaded(const protocol::UploadWork& upload) const;
  // Makes what the uploads that are to be computed take, by client. What no upload needs any more
  // is written over by the next; secrets of models are let go at once.
  void load(std::span<const std::shared_ptr<ClientWork>> works);
  void load(data::Part part, const std::vector<std::size_t>& rows, const std::vector<int>& clients);

 private:
  class RowsOfClient;
  struct Batch {
    data::Part part = data::Part::kTrain;
    std::vector<std::size_t> rows;
    std::vector<field::RingMatrix> terms;  // K segments, T masks: b x padded inputs
    std::vector<const field::RingMatrix*> pointers;
    std::vector<field::RingMatrix> coded;  // per client
    std::vector<bool> made;                // per client
    bool wanted = false;
  };
  const Batch* find(data::Part part, std::span<const std::size_t> rows) const;
  void shape(Batch& batch) const;
  void make_room_for_masks();
  void draw_masks(int client);
  void fill(Batch& batch) const;
  const model::RowBlock& block(data::Part part) const;  // of all clients' rows
  std::size_t sample(const Batch& batch, int k, std::size_t i) const;
  void prefetch(const Batch& batch, int k, std::size_t i) const;
  void fill_segment(Batch& batch, int k, std::size_t i) const;
  void fill_mask(Batch& batch, int t, std::size_t i) const;
  void make_coded(Batch& batch, const std::vector<int>& clients) const;

  const protocol::Agreement& agreement_;
  const coding::LagrangeCode& code_;
  SecretSource& secrets_;
  std::vector<const protocol::LocalModel*> clients_;
  std::vector<field::RingMatrix> masks_[data::kParts];  // T: coded rows x padded inputs
  std::deque<Batch> batches_;                           // of the plans being computed: one or two
  SharedModels models_;
};

}  // namespace fedvs::sim
