#include "fedvs/protocol/client/seed_exchange.h"

#include "fedvs/protocol/costs.h"

namespace fedvs::protocol {

SeedExchange::SeedExchange(int client, const Agreement& agreement, const coding::LagrangeCode& code,
                           const ClientOptions& options)
    : client_(client),
      agreement_(agreement),
      book_(agreement, client, options.run),
      mask_(options.mask) {
  if (!agreement.masked() || mask_ != nullptr) return;
  seeded_.emplace(code, *agreement.family);
  mask_ = &own_mask_.emplace(*seeded_, book_, client);
}

void SeedExchange::tell_own(Tasks& tasks) const {
  if (!book_.makes_some(client_)) return;
  for (int to = 0; to < agreement_.shape.parties; ++to) {
    if (to != client_) tell(to, client_, tasks);
  }
}

void SeedExchange::tell_known(int to, Tasks& tasks) const {
  for (int maker = 0; maker < agreement_.shape.parties; ++maker) {
    if (book_.makes_some(maker) && book_.holds_list(maker)) tell(to, maker, tasks);
  }
}

void SeedExchange::tell(int to, int maker, Tasks& tasks) const {
  SeedShare share = book_.share(maker, to);
  const std::size_t bytes = seed_share_bytes(share.commitments.size(), share.seeds.size());
  tasks.push_back(send_now(outgoing(to, Lane::kControl, bytes, make_message(std::move(share)))));
}

void SeedExchange::ask(Tasks& tasks) const {
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    if (n == client_) continue;
    tasks.push_back(send_now(outgoing(n, Lane::kControl, 8, make_message(SeedRequest{client_}))));
  }
}

}  // namespace fedvs::protocol
