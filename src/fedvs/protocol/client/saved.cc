// What a client remembers over restarts: its model, notes of plans, models of others, seeds.
#include "fedvs/base/secret_text.h"
#include "fedvs/protocol/client/client.h"
#include "fedvs/protocol/message_form.h"

namespace fedvs::protocol {

std::string Client::save() const {
  const auto model = SecretText::take(own_.local().save());
  const std::string notes = plans_.guard().save();
  ByteWriter out;
  out.reserve(model.view().size() + notes.size() + 4096);
  out.text(model.view());
  out.text(notes);
  plans_.groups().save(out);
  out.flag(training());
  out.flag(rows_line_up());
  rows_.held().save(out);
  out.text(plans_.save_heads());
  return out.take();
}

Status Client::restore(std::string_view bytes) {
  ByteReader in(bytes);
  FEDVS_TRY(auto model, in.text());
  const Status restored = own_.restore(model);
  wipe_text(model);
  FEDVS_TRY_STATUS(restored);
  FEDVS_TRY(const auto notes, in.text());
  FEDVS_TRY_STATUS(plans_.restore_guard(in, notes));
  FEDVS_TRY(const bool trained, in.flag());
  if (trained) move_on(doing::SeesPlan{.to_train_on = false});
  FEDVS_TRY(const bool line_up, in.flag());
  if (line_up) rows_.comparison().find_to_line_up();
  FEDVS_TRY_STATUS(rows_.held().restore(in));
  FEDVS_TRY(const auto heads, in.text());
  FEDVS_TRY_STATUS(plans_.restore_heads(heads));
  return in.finish();
}

Result<Groups> saved_groups(std::string_view saved) {
  ByteReader in(saved);
  FEDVS_TRY(auto model, in.text());
  wipe_text(model);
  FEDVS_TRY(const auto notes, in.text());
  static_cast<void>(notes);
  return KnownGroups::read(in);
}

std::vector<MessagePtr> Client::held_models() const {
  std::vector<MessagePtr> held;
  shelf_.for_each([&](int sender, const Version& version, const SharePtr& values) {
    if (version.step > own_.step()) return;
    held.push_back(
        make_message(ModelShare{sender, version, own_.local().chain(version.step), values}));
  });
  return held;
}

void Client::recall_model(const ModelShare& share) {
  if (!check_form(agreement_, share)) return;
  if (share.version.step > own_.step()) return postponed_.keep_early(make_message(share));
  if (share.chain != own_.local().chain(share.version.step)) return;
  shelf_.add(share.from, share.version, share.values);
}

Status Client::recall_plan(const Step& step) {
  FEDVS_TRY_STATUS(check_form(agreement_, step));
  FEDVS_TRY_STATUS(plans_.recall(step));
  move_on(doing::SeesPlan{.to_train_on = false});
  return {};
}

Status Client::recall_seeds(std::string_view bytes) {
  ByteReader in(bytes);
  return seeds_.book().restore(in);
}

RunFacts Client::facts() const {
  return {options_.run, life_.welcome().sharings, life_.welcome().seeds};
}

}  // namespace fedvs::protocol
