// The tasks in which a client makes something for the others (data, models, masks) or learns.
#include <utility>

#include "fedvs/protocol/client/client.h"
#include "fedvs/protocol/costs.h"

namespace fedvs::protocol {
MessagePtr Client::data_chunk(const Chunk& chunk, int recipient) {
  return rows_.chunk_for(recipient, chunk, own_.local().rows(chunk.first));
}

// Data preparation, once.                                                     Paper: Eq. (2)
//   client n -> client m:  F_n(alpha_m) = sum_k X_k l_k(alpha_m) + sum_t Z_t l_{K+t}(alpha_m)
// Sends    N-1 shares of 1/K of the data each, in chunks that are made when they arrive:
//          data_share_bytes per chunk.           Costs  (K+T) N multiply-adds per value of a share.
// Reveals  nothing to any T recipients.          CostsTest.BeforeTraining
Task Client::share_data() {
  return {.work = {.kind = Work::Kind::kShareRows}, .run = [this] {
            Effects effects;
            for_each_chunk(agreement_, [&](data::Part part, std::size_t first, std::size_t count) {
              send_to_all(effects, {.to = 0,
                                    .lane = Lane::kBulk,
                                    .bytes = data_share_bytes(agreement_, number_, count),
                                    .draft = draft([=, this](int to) {
                                      return data_chunk({part, first}, to);
                                    })});
            });
            return effects;
          }};
}

// Step 1 of 5, share models.                                                  Paper: Eq. (3), (4)
//   client n -> client m:  G_n(alpha_m) = W_n + z(alpha_m) r_n(alpha_m)
// Sends    N-1 messages of p_n elements, model_share_bytes.     Costs  (T+1) N p_n multiply-adds.
// Reveals  nothing to any T recipients.                         CostsTest.Rounds
Task Client::share_model() {
  return {.work = {.kind = Work::Kind::kShareModel}, .run = [=, this] {
            const Version version{own_.step(), life_.incarnation()};
            if (!own_.begin_sharing(version.step)) return Effects{};  // once
            const auto secret = own_.secret(version.step);
            work_->add([this, secret, step = version.step] {
              if (own_.round(step)) secret->terms();
            });
            const OwnModel::Kept shared{version, *own_.local().chain().find(version.step),
                                        own_.shares(secret)};
            if (options_.apart) own_.keep(shared, named_of_own());
            if (plans_.heads()) plans_.heads()->told_all(/*promptly=*/false);
            Effects effects;
            send_to_all(effects,
                        {.to = 0,
                         .lane = Lane::kShare,
                         .bytes = model_share_bytes(agreement_, number_),
                         .draft = draft([=, this](int to) { return model_message(shared, to); }),
                         .round = version.step});
            return effects;
          }};
}

MessagePtr Client::model_message(const OwnModel::Kept& shared, int to) const {
  // In a run that goes on after a replay the chain is put in later than the share was made.
  const Digest* const link = own_.local().chain().find(shared.version.step);
  ModelShare share{number_, shared.version, link != nullptr ? *link : shared.link,
                   share_of(shared.shares, to)};
  if (plans_.heads()) share.head = plans_.heads()->head();
  return make_message(std::move(share));
}

std::optional<Version> Client::named_of_own() const {
  return plans_.open().trained() ? of_client(plans_.open().trained()->versions, number_)
                                 : std::nullopt;
}

void Client::send_to_all(Effects& effects, Outgoing message) const {
  effects.sends.reserve(effects.sends.size() + static_cast<std::size_t>(agreement_.shape.parties));
  for (int to = 0; to < agreement_.shape.parties; ++to) {
    effects.sends.push_back(message);
    effects.sends.back().to = to;
  }
}

// Step 5 of 5, learn, at a client.
//   W_n -= rate * X_n^T g / N   from the client's own rounded rows
// Sends    nothing.       Costs  K b p_n multiply-adds.
// Reveals  nothing: the client's weights stay where they are.
Task Client::learn(std::shared_ptr<const Gradient> gradient, double rate_factor) {
  const std::size_t rows = gradient->plan().rows.size();
  return {.work = {.kind = Work::Kind::kLearn, .rows = rows}, .run = [=, this] {
            own_.local().accept(*gradient, rate_factor);
            work_->add([=, this] { own_.local().learn(*gradient, rate_factor); });
            if (doing::is_behind(state_)) keep_named_version();
            return Effects{.sends = {}, .tasks = take_early_shares()};
          }};
}

// Shares of the step that has just been reached.
Tasks Client::take_early_shares() {
  Tasks tasks;
  for (const auto& message : postponed_.take_early()) append(tasks, receive(message));
  return tasks;
}

}  // namespace fedvs::protocol
