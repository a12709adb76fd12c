// Where a run stands, over a restart of its server.
#include "fedvs/protocol/saved.h"
#include "fedvs/protocol/server/server.h"
#include "fedvs/v1/server_state.pb.h"

namespace fedvs::protocol {

void Server::save_course(v1::SavedCourse& to) const {
  to.set_round(course_.round);
  to.set_revision(course_.revision);
  to.set_epoch(course_.schedule.epoch());
  to.set_batches_taken(course_.schedule.taken());
  to.set_finished_epochs(course_.finished_epochs);
  to.set_training_ended(course_.training_ended);
  to.set_stop_after_epoch(course_.stop_after_epoch);
  to.set_best_loss(course_.patience.best_loss);
  to.set_without_gain(course_.patience.without_gain);
  to.set_ended_after(course_.patience.ended_after);
  to.set_idle_rounds(course_.idleness.rounds);
  to.set_idle_epochs(course_.idleness.epochs);
  to.set_learned_in_epoch(course_.idleness.learned_in_epoch);
  to.set_stood_by(stands_by() || course_.idleness.stood_by);
}

void Server::restore_course(const v1::SavedCourse& from) {
  course_.round = from.round();
  course_.revision = from.revision();
  course_.schedule.restore(from.epoch(), from.batches_taken());
  course_.finished_epochs = from.finished_epochs();
  course_.training_ended = from.training_ended();
  course_.stop_after_epoch = from.stop_after_epoch();
  course_.patience = {.best_loss = from.best_loss(),
                      .without_gain = from.without_gain(),
                      .ended_after = from.ended_after()};
  course_.idleness.rounds = from.idle_rounds();
  course_.idleness.epochs = from.idle_epochs();
  course_.idleness.learned_in_epoch = from.learned_in_epoch();
  course_.idleness.stood_by = from.stood_by();
}

// ---- its members

void Conduct::save(v1::SavedMember& to) const {
  to.set_quarantined(quarantined);
  to.set_refused(refused);
  to.set_reason(reason);
  to.set_quarantines(quarantines);
  to.set_withheld(withheld);
  to.set_defaulted(defaulted);
}

void Conduct::restore(const v1::SavedMember& from) {
  quarantined = from.quarantined();
  refused = from.refused();
  reason = from.reason();
  quarantines = from.quarantines();
  withheld = from.withheld();
  defaulted = from.defaulted();
}

void Server::save_members(v1::SavedServer& to) const {
  for (const Member& member : members_) {
    auto& saved = *to.add_members();
    const Incarnation life = member.life.value_or(Incarnation{});
    saved.set_lateness(lateness_of(member));
    saved.set_life(life.bytes.data(), life.bytes.size());
    saved.set_saved(member.saved);
    saved.set_sharing(member.sharing.bytes.data(), member.sharing.bytes.size());
    saved.set_seeds(member.seeds.data(), member.seeds.size());
    saved.set_finished(member.finished);
    member.conduct.save(saved);
  }
}

Status Server::restore_members(const v1::SavedServer& from) {
  constexpr std::string_view kNote = "the server's note of a client";
  if (from.members_size() != agreement_.shape.parties) {
    return Error{ErrorCode::kCorrupt, "the server's notes are of another job"};
  }
  for (int n = 0; n < agreement_.shape.parties; ++n) {
    const auto& saved = from.members(n);
    Member& member = members_[n];
    member.model_shares.lateness = saved.lateness();
    FEDVS_TRY_STATUS(copy_exactly(kNote, saved.life(), member.life.emplace().bytes));
    member.saved = saved.saved();
    FEDVS_TRY_STATUS(copy_exactly(kNote, saved.sharing(), member.sharing.bytes));
    FEDVS_TRY_STATUS(copy_exactly(kNote, saved.seeds(), member.seeds));
    member.finished = saved.finished();
    member.conduct.restore(saved);
    board_.set_quarantined(n, member.conduct.quarantined);
  }
  return {};
}

}  // namespace fedvs::protocol
