// A client in a round: learn from the gradient, share the model if asked, evaluate the plan,
// upload.
#include "fedvs/protocol/client/client.h"
#include "fedvs/protocol/costs.h"

namespace fedvs::protocol {

// An upload for a plan; none if the client has turned to another one by then.
class Client::Answer final : public Draft {
 public:
  Answer(Client& client, std::shared_ptr<const Plan> plan)
      : client_(client), plan_(std::move(plan)) {}
  MessagePtr make(int) const override { return wanted() ? client_.make_upload() : nullptr; }
  bool wanted() const override { return client_.plan() == plan_; }

 private:
  Client& client_;
  std::shared_ptr<const Plan> plan_;
};

Tasks Client::on(const Step& step) {
  if (!may_train()) return {};
  Tasks tasks;
  const bool first_groups = step.groups && !groups();
  if (step.groups && step.groups != groups()) {  // in one process, the very object again
    if (auto accepted = plans_.accept_groups(step.groups); !accepted) {
      return one(break_off(accepted.error().message));
    }
  }
  if (step.gradient) {
    const bool behind = doing::is_behind(state_);
    if (auto expected = plans_.check_gradient(*step.gradient, own_.received(), behind); !expected) {
      if (first_groups) plans_.forget_groups();
      return one(break_off(expected.error().message));
    }
    own_.receive_one();
    tasks.push_back(learn(step.gradient, step.rate_factor));
  }
  plans_.groups().note_released(step.released);
  if (of_client(step.share, number_)) tasks.push_back(share_model());
  if (step.plan) accept_plan(step, tasks);
  if (first_groups && broken_off()) plans_.forget_groups();
  return tasks;
}

// Before everybody's rows are known to line up no honest server asks for anything, least of all for
// the first weights of what may be a wrong file.
bool Client::may_train() const { return training() || rows_line_up() || !options_.apart; }

void Client::accept_plan(const Step& step, Tasks& tasks) {
  const Plan& plan = *step.plan;
  const Digest content = content_of(step, facts());
  if (auto accepted = plans_.accept(step, content); !accepted) {
    tasks.push_back(break_off(accepted.error().message, plan.revision));
    return;
  }
  move_on(doing::SeesPlan{.to_train_on = plan.training()});
  forget_older_versions(plan);
  plans_.open().open(step.plan, content);
  take_head(step, content, tasks);
  append(tasks, upload_if_ready());
}

// No later plan names versions older than those of a closed round.
void Client::forget_older_versions(const Plan& next) {
  const auto& closed = plan();
  if (!closed || !closed->training() || closed->round >= next.round) return;
  shelf_.forget_before(closed->versions);
  if (const auto& own = of_client(closed->versions, number_); own) {
    work_->add([this, step = own->step] { own_.local().forget_before(step); });
  }
}

bool Client::may_upload() {
  auto& open = plans_.open();
  if (!open.waits() || broken_off() || !rows_.usable()) return false;
  if (!seeds_.book().complete() || !open.versions_are_on(shelf_)) return false;
  return plans_.heads() == nullptr || plans_.heads()->enough_agree();
}

// Step 3 of 5, mask and upload.                                              Paper: Eq. (5)
//   client m -> server:  u_m = sum_n X~_nm W~_nm + O(alpha_m)
// Waits    until it holds all that the plan names, and where plans are signed until Q heads agree.
// Sends    1 message of b x h elements per client, and what it holds: upload_bytes.
// Reveals  the decoded sum only, while at most T clients collude.             CostsTest.Rounds
Tasks Client::upload_if_ready() {
  if (!may_upload()) return {};
  plans_.open().begin_upload();
  const auto& next = plan();
  const bool evaluation = !next->training();
  const std::size_t bytes = upload_bytes(agreement_, next->rows.size());
  Tasks tasks;
  tasks.push_back(
      {.work = {.kind = Work::Kind::kUpload, .evaluation = evaluation, .rows = next->rows.size()},
       .run = [=, this, plan = next] {
         Effects effects;
         if (plans_.open().plan() != plan) return effects;
         effects.sends.push_back({.to = kServer,
                                  .lane = Lane::kUpload,
                                  .bytes = bytes,
                                  .draft = std::make_shared<const Answer>(*this, plan),
                                  .round = plan->round,
                                  .evaluation = evaluation});
         return effects;
       }});
  return tasks;
}

MessagePtr Client::make_upload() {
  const auto plan = plans_.open().plan();
  const Digest& content = plans_.open().content();
  UploadWork work(agreement_, plan, rows_.coded(), shelf_, seeds_.mask(), content);
  return make_message(Upload{.from = number_,
                             .revision = plan->revision,
                             .tag = upload_tag(content),
                             .values = work_->add(std::move(work)),
                             .holdings = holdings()});
}

}  // namespace fedvs::protocol
