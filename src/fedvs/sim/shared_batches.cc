#include "fedvs/sim/shared_batches.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "fedvs/base/thread_pool.h"
#include "fedvs/coding/encoder.h"

namespace fedvs::sim {

using protocol::DataSharer;

class SharedBatches::RowsOfClient final : public protocol::CodedRows {
 public:
  RowsOfClient(const SharedBatches& batches, int client) : batches_(batches), client_(client) {}
  bool keeps_shares() const override { return false; }
  void put(data::Part, int, std::size_t, std::size_t, const field::RingMatrix&) override {}
  const field::RingMatrix& gather(data::Part part, std::span<const std::size_t> rows,
                                  field::RingMatrix& scratch) const override {
    const Batch* batch = batches_.find(part, rows);
    const auto client = static_cast<std::size_t>(client_);
    FEDVS_CHECK(batch != nullptr, "rows are loaded before they are gathered");
    if (batch->made[client]) return batch->coded[client];
    coding::encode(batches_.code_, coding::Polynomial::kData, batch->pointers, client_, scratch);
    return scratch;
  }
  void place(std::span<const protocol::SharePtr> models, field::RingMatrix& panels) const override {
    if (const auto* terms = batches_.models_.find(models)) {
      coding::encode(batches_.code_, coding::Polynomial::kModel, *terms, client_, panels);
    } else {  // some share came as bytes
      protocol::place_one_by_one(batches_.agreement_, models, panels);
    }
  }

 private:
  const SharedBatches& batches_;
  int client_;
};

SharedBatches::SharedBatches(const protocol::Agreement& agreement, const coding::LagrangeCode& code,
                             SecretSource& secrets)
    : agreement_(agreement), code_(code), secrets_(secrets), models_(agreement) {
  FEDVS_CHECK(secrets.reproducible(), "only a seeded source makes the same masks again");
}

std::unique_ptr<protocol::CodedRows> SharedBatches::rows_of(int client) {
  return std::make_unique<RowsOfClient>(*this, client);
}

void SharedBatches::add(const protocol::LocalModel& model) {
  if (clients_.empty()) make_room_for_masks();
  clients_.push_back(&model);
  draw_masks(static_cast<int>(clients_.size()) - 1);
}

// Not before the first client is added: by then the features that rows are made of are gone.
void SharedBatches::make_room_for_masks() {
  for (int part = 0; part < data::kParts; ++part) {
    const std::size_t rows = agreement_.coded_rows(static_cast<data::Part>(part));
    for (int t = 0; t < agreement_.shape.colluding; ++t) {
      masks_[part].emplace_back(agreement_.ring, rows, agreement_.total_padded_inputs());
    }
  }
}

void SharedBatches::draw_masks(int client) {
  const DataSharer sharer(agreement_, code_, secrets_.stream(Purpose::kDataMask, client, 0));
  const std::size_t inputs = agreement_.inputs(client);
  const std::size_t first_col = agreement_.first_padded_input(client);
  for (int p = 0; p < data::kParts; ++p) {
    const auto part = static_cast<data::Part>(p);
    const std::size_t rows = agreement_.coded_rows(part);
    for (std::size_t first = 0; first < rows; first += protocol::kChunkRows) {
      const std::size_t count = std::min(protocol::kChunkRows, rows - first);
      const auto drawn = sharer.masks(part, first, count * inputs);
      for (std::size_t t = 0; t < drawn.size(); ++t) {
        masks_[p][t].paste_flat(drawn[t], first, count, first_col, inputs);
      }
    }
  }
}

const SharedBatches::Batch* SharedBatches::find(data::Part part,
                                                std::span<const std::size_t> rows) const {
  const auto found = std::ranges::find_if(batches_, [&](const Batch& batch) {
    return batch.part == part && std::ranges::equal(batch.rows, rows);
  });
  return found == batches_.end() ? nullptr : &*found;
}

bool SharedBatches::loaded(const protocol::Evaluation& upload) const {
  return find(upload.plan()->part, upload.plan()->rows) != nullptr &&
         models_.find(upload.models()) != nullptr;
}

void SharedBatches::load(std::span<const std::unique_ptr<protocol::Client>> clients) {
  for (Batch& batch : batches_) batch.wanted = false;
  models_.want_none();
  std::map<const protocol::Plan*, std::vector<int>> answering;
  for (const auto& client : clients) {
    for (const auto& upload : client->uploads_to_compute()) {
      answering[upload.plan().get()].push_back(client->number());
      models_.want(upload.models());
    }
  }
  for (const auto& [plan, numbers] : answering) load(plan->part, plan->rows, numbers);
  models_.forget_unwanted();
}

void SharedBatches::load(data::Part part, const std::vector<std::size_t>& rows,
                         const std::vector<int>& clients) {
  auto* batch = const_cast<Batch*>(find(part, rows));
  if (batch == nullptr) {
    const auto unused = std::ranges::find(batches_, false, &Batch::wanted);
    batch = unused == batches_.end() ? &batches_.emplace_back() : &*unused;
    batch->part = part;
    batch->rows = rows;
    shape(*batch);
    fill(*batch);
  }
  batch->wanted = true;
  make_coded(*batch, clients);
}

// Memory is used again where the sizes are the same.
void SharedBatches::shape(Batch& batch) const {
  const auto parties = static_cast<std::size_t>(agreement_.shape.parties);
  batch.made.assign(parties, false);
  if (!batch.terms.empty() && batch.terms[0].rows() == batch.rows.size()) return;
  const auto make = [&](std::vector<field::RingMatrix>& matrices, std::size_t count) {
    matrices.clear();
    for (std::size_t i = 0; i < count; ++i) {
      matrices.emplace_back(agreement_.ring, batch.rows.size(), agreement_.total_padded_inputs());
    }
  };
  make(batch.terms, static_cast<std::size_t>(agreement_.shape.blocks + agreement_.shape.colluding));
  make(batch.coded, parties);
  batch.pointers.clear();
  for (const auto& term : batch.terms) batch.pointers.push_back(&term);
}

void SharedBatches::make_coded(Batch& batch, const std::vector<int>& clients) const {
  std::vector<int> lacking;
  std::vector<field::RingMatrix*> outs;
  for (int client : clients) {
    const auto c = static_cast<std::size_t>(client);
    if (batch.made[c]) continue;
    batch.made[c] = true;
    lacking.push_back(client);
    outs.push_back(&batch.coded[c]);
  }
  if (lacking.empty()) return;
  coding::encode(code_, coding::Polynomial::kData, batch.pointers, lacking, outs);
}

void SharedBatches::fill(Batch& batch) const {
  ThreadPool::global().parallel_for(batch.rows.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (int k = 0; k < agreement_.shape.blocks; ++k) {
        if (i + 1 < end) prefetch(batch, k, i + 1);
        fill_segment(batch, k, i);
      }
      for (int t = 0; t < agreement_.shape.colluding; ++t) fill_mask(batch, t, i);
    }
  });
}

std::size_t SharedBatches::sample(const Batch& batch, int k, std::size_t i) const {
  return static_cast<std::size_t>(k) * agreement_.coded_rows(batch.part) + batch.rows[i];
}

const model::RowBlock& SharedBatches::block(data::Part part) const {
  return clients_[0]->rows(part).block();
}

void SharedBatches::prefetch(const Batch& batch, int k, std::size_t i) const {
  const std::size_t row = sample(batch, k, i);
  if (row < block(batch.part).rows()) block(batch.part).prefetch(row);
}

// Row i of term k: the samples of segment k, all senders side by side; zero beyond the last sample.
void SharedBatches::fill_segment(Batch& batch, int k, std::size_t i) const {
  const model::RowBlock& rows = block(batch.part);
  const std::size_t row = sample(batch, k, i), cols = rows.cols();
  auto& term = batch.terms[static_cast<std::size_t>(k)];
  if (row >= rows.rows()) {
    for (int plane = 0; plane < agreement_.ring.planes(); ++plane) {
      std::memset(term.row_bytes(plane, i), 0,
                  cols * static_cast<std::size_t>(agreement_.ring.word_bytes()));
    }
  } else if (rows.is_narrow()) {
    field::put_integers(term, i, 0, 1, cols, std::span(rows.narrow() + row * cols, cols));
  } else {
    field::put_integers(term, i, 0, 1, cols, std::span(rows.wide() + row * cols, cols));
  }
}

void SharedBatches::fill_mask(Batch& batch, int t, std::size_t i) const {
  const auto& masks = masks_[static_cast<int>(batch.part)][static_cast<std::size_t>(t)];
  auto& term = batch.terms[static_cast<std::size_t>(agreement_.shape.blocks + t)];
  for (int plane = 0; plane < agreement_.ring.planes(); ++plane) {
    std::memcpy(term.row_bytes(plane, i), masks.row_bytes(plane, batch.rows[i]),
                masks.cols() * static_cast<std::size_t>(agreement_.ring.word_bytes()));
  }
}

}  // namespace fedvs::sim
