// A client's own table, and what the server and this client's folder are told about it. The table
// itself stays until the run is certain: while the server may still begin another run, that one
// needs it, too.
#pragma once
#include <optional>

#include "fedvs/data/party_rows.h"
#include "fedvs/net/seal/keys.h"
#include "fedvs/net/wire/envelope.h"
#include "fedvs/party/trained.h"

namespace fedvs::party {

class OwnRows {
 public:
  // `trained`: with which the rows are scored; none: they are trained on.
  OwnRows(data::PartyRows table, const seal::SecretKey& data_key,
          const std::optional<TrainedClient>& trained);

  std::size_t count() const { return count_; }
  std::size_t columns() const { return columns_; }
  // The same while the table is; under the client's own key, so that nobody can try tables out.
  const Digest& data_id() const { return data_id_; }
  const Digest& ids() const { return ids_; }  // of the rows' ids, as the server must have them
  // kRefused, in words for both operators, unless the server is there for these rows.
  Status check(const wire::RowsOffer& offer) const;

  const data::PartyRows& table() const { return table_; }
  data::PartyRows take_table() { return std::move(table_); }
  void drop_table() { table_ = {}; }

 private:
  data::PartyRows table_;
  std::size_t count_, columns_;
  Digest data_id_, ids_;
  bool scored_;
};

}  // namespace fedvs::party
