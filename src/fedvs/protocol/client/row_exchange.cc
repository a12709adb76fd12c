#include "fedvs/protocol/client/row_exchange.h"

#include <fmt/format.h>

#include "fedvs/protocol/costs.h"
#include "fedvs/protocol/of_client.h"

namespace fedvs::protocol {
namespace {

constexpr std::size_t kRequestBytes = 24;

}  // namespace

RowExchange::RowExchange(int client, const Agreement& agreement, const coding::LagrangeCode& code,
                         SecretSource& secrets, std::unique_ptr<CodedRows> coded,
                         const ClientOptions& options)
    : client_(client),
      agreement_(agreement),
      own_sharing_(options.sharing),
      sharer_(agreement, code, secrets.stream(Purpose::kDataMask, client, 0)),
      coded_(std::move(coded)),
      held_(agreement),
      fetcher_(agreement),
      comparison_(agreement.shape.parties, client, options.rows_line_up) {}

MessagePtr RowExchange::chunk_for(int recipient, const Chunk& chunk, const model::FixedRows& own) {
  const auto& [part, first] = chunk;
  DataShare share{
      .from = client_, .part = part, .first_row = first, .values = {}, .sharing = own_sharing_};
  if (coded_->keeps_shares()) {
    const std::size_t rows = chunk_rows(agreement_, part, first);
    share.values =
        std::make_shared<const field::RingMatrix>(sharer_.share(own, part, first, rows, recipient));
  }
  return make_message(std::move(share));
}

std::size_t RowExchange::chunk_bytes(const Chunk& chunk) const {
  return data_share_bytes(agreement_, client_, chunk_rows(agreement_, chunk.first, chunk.second));
}

std::size_t RowExchange::chunks() const {
  std::size_t chunks = 0;
  for_each_chunk(agreement_, [&](data::Part, std::size_t, std::size_t) { ++chunks; });
  return chunks;
}

void RowExchange::take(const DataShare& share) {
  const std::size_t rows = chunk_rows(agreement_, share.part, share.first_row);
  if (share.values) coded_->put(share.part, share.from, share.first_row, rows, *share.values);
  held_.add(share.from, {share.part, share.first_row}, share.sharing);
}

Status RowExchange::check_sharings(const Welcome& welcome, bool training) const {
  if (of_client(welcome.sharings, client_) != own_sharing_) {
    return Error{ErrorCode::kRefused, "the welcome names another sharing of this client's rows"};
  }
  if (!training) return {};
  const auto anew = held_.shared_anew(welcome.sharings);
  if (!anew) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} has shared its rows anew after training began; restore its folder, "
                           "or train anew",
                           agreement_.name(*anew))};
}

void RowExchange::drop_other_sharings(const Welcome& welcome, bool training) {
  if (held_.drop_others(welcome.sharings) && !training) comparison_.doubt();
}

void RowExchange::fetch_all(Tasks& tasks) {
  for (int n = 0; n < agreement_.shape.parties; ++n) request(n, fetcher_.begin(n, held_), tasks);
}

void RowExchange::fetch_more(int sender, Tasks& tasks) {
  request(sender, fetcher_.go_on(sender, held_), tasks);
}

void RowExchange::fetch_anew(int sender, Tasks& tasks) {
  request(sender, fetcher_.ask_anew(sender, held_), tasks);
}

void RowExchange::fetch_again(Tasks& tasks) const {
  for (int n = 0; n < agreement_.shape.parties; ++n) request(n, fetcher_.repeat(n, held_), tasks);
}

void RowExchange::request(int sender, const std::vector<Chunk>& chunks, Tasks& tasks) const {
  for (const auto& [part, first] : chunks) {
    tasks.push_back(send_now(outgoing(sender, Lane::kBulk, kRequestBytes,
                                      make_message(DataRequest{client_, part, first}))));
  }
}

}  // namespace fedvs::protocol
