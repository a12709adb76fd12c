// The rows that clients share with each other: a client's own as it hands them out, everybody's as
// it holds them, what is still to be fetched, and whether all rows line up.
#pragma once
#include <memory>

#include "fedvs/protocol/client/coded_rows.h"
#include "fedvs/protocol/client/data_sharer.h"
#include "fedvs/protocol/client/held_rows.h"
#include "fedvs/protocol/client/options.h"
#include "fedvs/protocol/client/row_comparison.h"
#include "fedvs/protocol/client/row_fetcher.h"
#include "fedvs/protocol/work.h"

namespace fedvs::protocol {

class RowExchange {
 public:
  // References outlive it.
  RowExchange(int client, const Agreement& agreement, const coding::LagrangeCode& code,
              SecretSource& secrets, std::unique_ptr<CodedRows> coded,
              const ClientOptions& options);
  CodedRows& coded() { return *coded_; }
  const CodedRows& coded() const { return *coded_; }
  HeldRows& held() { return held_; }
  const HeldRows& held() const { return held_; }
  RowComparison& comparison() { return comparison_; }
  const RowComparison& comparison() const { return comparison_; }

  // ---- its own
  // A chunk for one recipient, with the share itself where shares are kept.
  MessagePtr chunk_for(int recipient, const Chunk& chunk, const model::FixedRows& own);
  std::size_t chunk_bytes(const Chunk& chunk) const;  // on the wire
  std::size_t chunks() const;                         // of all parts

  // ---- everybody's
  void take(const DataShare& share);
  // kRefused where the welcome names another sharing of this client's rows, or, once training has
  // begun, of rows that it holds: uploads with one sharing by some clients and with another by
  // others are not of one polynomial. It uploads nothing any more then.
  Status check_sharings(const Welcome& welcome, bool training) const;
  void begin_to_distrust() { shared_anew_ = true; }
  bool usable() const { return held_.complete() && !shared_anew_; }  // for an upload
  // What is held of former sharings is fetched again. Before training these may be other rows.
  void drop_other_sharings(const Welcome& welcome, bool training);

  // ---- fetching: requests to be sent
  void fetch_all(Tasks& tasks);
  void fetch_more(int sender, Tasks& tasks);  // a chunk of it has come
  void fetch_anew(int sender, Tasks& tasks);  // it has a new life
  void fetch_again(Tasks& tasks) const;       // requests, or chunks, may be lost

 private:
  void request(int sender, const std::vector<Chunk>& chunks, Tasks& tasks) const;
  const int client_;
  const Agreement& agreement_;
  const SharingId own_sharing_;
  DataSharer sharer_;
  std::unique_ptr<CodedRows> coded_;
  HeldRows held_;
  RowFetcher fetcher_;
  RowComparison comparison_;
  bool shared_anew_ = false;  // somebody did, after training had begun
};

}  // namespace fedvs::protocol
