// What a client remembers over restarts: its model, notes of plans, models of others, seeds.
#include "fedvs/protocol/saved.h"

#include <fmt/format.h>

#include "fedvs/protocol/client/client.h"
#include "fedvs/protocol/client/saved_model.h"
#include "fedvs/protocol/message_form.h"
#include "fedvs/v1/client_state.pb.h"

namespace fedvs::protocol {
namespace {

constexpr std::string_view kCheckpoint = "a client's checkpoint";

// Wiped as it is in the end: reading a message makes its parts anew.
struct WipedClient {
  v1::SavedClient message;
  ~WipedClient() { v1::wipe(*message.mutable_model()); }
};

}  // namespace

std::string Client::save() const {
  WipedClient wiped;
  auto& to = wiped.message;
  own_.local().save(*to.mutable_model());
  plans_.save(*to.mutable_plans());
  to.set_trained(training());
  to.set_rows_line_up(rows_line_up());
  rows_.held().save(to);
  return packed(to);
}

Status Client::restore(std::string_view bytes) {
  WipedClient wiped;
  auto& from = wiped.message;
  FEDVS_TRY_STATUS(unpack(kCheckpoint, bytes, from));
  FEDVS_TRY_STATUS(own_.restore(from.model()));
  FEDVS_TRY_STATUS(plans_.restore(from.plans()));
  if (from.trained()) move_on(doing::SeesPlan{.to_train_on = false});
  if (from.rows_line_up()) rows_.comparison().find_to_line_up();
  return rows_.held().restore(from);
}

Result<SavedParts> parts_of(std::string_view saved, int parties) {
  WipedClient wiped;
  auto& from = wiped.message;
  FEDVS_TRY_STATUS(unpack(kCheckpoint, saved, from));
  SavedParts parts;
  FEDVS_TRY(parts.groups, restored(from.plans().groups(), parties));
  parts.model = packed(*from.mutable_model());
  return parts;
}

void HeldRows::save(v1::SavedClient& to) const {
  for (int n = 0; n < sharings_.size(); ++n) {
    if (!sharings_[n]) continue;
    auto& sharing = *to.add_sharings();
    sharing.set_client(static_cast<std::uint32_t>(n));
    sharing.set_id(sharings_[n]->bytes.data(), sharings_[n]->bytes.size());
  }
}

Status HeldRows::restore(const v1::SavedClient& from) {
  for (const auto& sharing : from.sharings()) {
    if (sharing.client() >= static_cast<std::uint32_t>(sharings_.size())) {
      return corrupt("a note of rows",
                     fmt::format("names client {} of {}", sharing.client(), sharings_.size()));
    }
    auto& held = sharings_[static_cast<int>(sharing.client())];
    FEDVS_TRY_STATUS(copy_exactly("a note of a sharing", sharing.id(), held.emplace().bytes));
  }
  return {};
}

// ---- models of others

std::vector<MessagePtr> Client::held_models() const {
  std::vector<MessagePtr> held;
  shelf_.for_each([&](int sender, const Version& version, const SharePtr& values) {
    const Digest* const link = own_.local().chain().find(version.step);
    if (link == nullptr) return;  // not reached yet, or so old that no plan can name it
    held.push_back(make_message(ModelShare{sender, version, *link, values}));
  });
  return held;
}

void Client::recall_model(const ModelShare& share) {
  if (!check_form(agreement_, share)) return;
  if (share.version.step > own_.step()) return postponed_.keep_early(make_message(share));
  const Digest* const link = own_.local().chain().find(share.version.step);
  if (link == nullptr || share.chain != *link) return;
  shelf_.add(share.from, share.version, share.values);
}

Status Client::recall_plan(const Step& step) {
  FEDVS_TRY_STATUS(check_form(agreement_, step));
  FEDVS_TRY_STATUS(plans_.recall(step));
  move_on(doing::SeesPlan{.to_train_on = false});
  return {};
}

Status Client::recall_seeds(std::string_view bytes) { return seeds_.book().restore(bytes); }

RunFacts Client::facts() const {
  return {options_.run, life_.welcome().sharings, life_.welcome().seeds};
}

}  // namespace fedvs::protocol
