// What other clients share with this one: rows, models, seeds of masks.
#include <fmt/format.h>

#include "fedvs/base/log.h"
#include "fedvs/protocol/client/client.h"

namespace fedvs::protocol {
namespace {

constexpr std::size_t kMostOfOldLives = 16;  // versions of a sender, beside those of its life now
constexpr std::size_t kVersionsHeld = 64;    // of a sender: more than plans can name

}  // namespace

// A chunk counts once, and nothing is evaluated before the last one is there: a sum over the rows
// of some clients only would tell them apart.
Tasks Client::on(const DataShare& share) {
  if (rows_.coded().keeps_shares() && !share.values) {
    return complain(share.from, "rows without values");
  }
  if (share.sharing != of_client(life_.welcome().sharings, share.from)) {
    if (const std::size_t times = dealings_.stale_rows(share.from); times != 0) {
      log::warning("dropped rows of {} of another sharing than its present one, {} so far",
                   agreement_.name(share.from), times);
    }
    return {};
  }
  if (rows_.held().holds(share.from, {share.part, share.first_row})) return {};
  rows_.take(share);
  Tasks tasks;
  if (options_.apart) rows_.fetch_more(share.from, tasks);
  if (training() ? rows_.held().complete() : setup_complete()) tasks.push_back(report());
  append(tasks, upload_if_ready());
  return tasks;
}

Tasks Client::take(const ModelShare& share) {
  const bool of_now = share.version.incarnation == life_.of(share.from);
  // It was on its way when its sender started anew, or is one that plans still name.
  if (!of_now && (!life_.asks_for_models() || shelf_.count(share.from) >= kMostOfOldLives))
    return {};
  const Digest* const own_link = own_.local().chain().find(share.version.step);
  if (own_link == nullptr) return {};  // so old that no plan can name it
  if (share.chain != *own_link) {
    return complain(share.from, fmt::format("its model of step {} has seen other gradients",
                                            share.version.step));
  }
  if (options_.apart && shelf_.count(share.from) >= kVersionsHeld) {
    return complain(share.from, fmt::format("more than {} models at once", kVersionsHeld));
  }
  if (!shelf_.add(share.from, share.version, share.values)) {
    if (life_.asks_for_models()) return {};  // it came by itself meanwhile; the first counts
    return complain(share.from, fmt::format("it shared step {} twice", share.version.step));
  }
  Tasks tasks;
  if (training() ? is_worth_a_report(share.from) : setup_complete()) tasks.push_back(report());
  append(tasks, upload_if_ready());
  return tasks;
}

// During warm-up every share is reported: the server sorts the clients by how late theirs come.
// After it a group's last share is, or, where the plan waits for all groups, the last that it
// names.
bool Client::is_worth_a_report(int sender) {
  if (!groups() || !plan()) return true;
  auto& open = plans_.open();
  const bool plan_waits = agreement_.late_models == LateModels::kWait && open.waits();
  return plan_waits ? open.versions_are_on(shelf_) : plans_.groups().is_complete(sender, shelf_);
}

// One that comes from nobody who may know it, or that its maker did not tell of, is dropped.
Tasks Client::on(const SeedShare& share) {
  const bool lacked = !seeds_.book().complete();
  if (const auto taken = seeds_.book().take(share); !taken) {
    return complain(share.from, taken.error().message);
  }
  Tasks tasks;
  if (training() ? lacked && seeds_.book().complete() : setup_complete()) tasks.push_back(report());
  append(tasks, upload_if_ready());
  return tasks;
}

// Once to every life of who asks: all that both may know.
Tasks Client::on(const SeedRequest& request) {
  const auto& life = life_.of(request.from);
  if (request.from == number_ || !dealings_.first_seeds_for(request.from, life)) return {};
  Tasks tasks;
  seeds_.tell_known(request.from, tasks);
  return tasks;
}

}  // namespace fedvs::protocol
