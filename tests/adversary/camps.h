// A server that cheats: it runs an honest training for some rounds, then shows two camps of clients
// different plans. The clients are the real ones, and every message goes through the real codec.
//   N = 9, K = 1, T = 1: R = 3, Q = 6, groups of at least 3.  Camp A: clients 1 to 5, camp B: 6 to
//   9
#pragma once
#include <gmock/gmock.h>

#include <map>
#include <set>
#include <vector>

#include "fedvs/net/wire/codec.h"
#include "fedvs/protocol/plan_content.h"
#include "fedvs/protocol/segments.h"
#include "fedvs/protocol/server/upload_box.h"
#include "tests/support/stage.h"

namespace fedvs::adversary {

using protocol::Groups;
using protocol::MessagePtr;
using protocol::Plan;
using protocol::SignedHead;
using protocol::Step;
using protocol::StepNumber;
using testing::Sets;

enum class Camp { kA, kB };
enum class Relay { kHonest, kKeepsCampsApart };  // kKeepsCampsApart: drops echoes between them

class Camps {
 public:
  static constexpr int kClients = 9, kSizeOfA = 5;
  static Camp camp_of(int n) { return n < kSizeOfA ? Camp::kA : Camp::kB; }

  // Takes over after `rounds` honest ones. `defended` false: as it was, without signatures.
  Camps(const Sets& sets, std::uint64_t rounds, bool defended, Relay relay)
      : stage_(testing::joined({"code.K=1", "protocol.late_models=reuse"}, sets)),
        defended_(defended),
        relay_(relay) {
    if (!defended) stage_.sign_nothing();
    stage_.tamper = [this](int from, int to, MessagePtr message) {
      return pass(from, to, std::move(message));
    };
    stage_.start();
    stage_.run_until_round(rounds);
    stage_.take_over();
    stage_.deliver_all();
    taken_over_ = true;
    last_ = *last_step_;
    for (int n = 0; defended && n < kClients; ++n) {
      EXPECT_EQ(stage_.client(n).heads()->head(), *last_.head) << n;
    }
    if (defended) heads_[0] = heads_[1] = *last_.head;
  }

  // One revision, of evaluation rows: both camps get the same rows, and for the clients of
  // `stale` the version before the one that the last honest plan named. Tells how many of each
  // camp uploaded.
  struct Uploaded {
    int a = 0, b = 0;
  };
  Uploaded show(const std::vector<int>& stale_a, const std::vector<int>& stale_b,
                std::shared_ptr<const Groups> groups_a, std::shared_ptr<const Groups> groups_b) {
    uploads_.clear();
    ++revisions_;
    const Step a = step(stale_a, std::move(groups_a), Camp::kA);
    const Step b = step(stale_b, std::move(groups_b), Camp::kB);
    plans_ = {a.plan, b.plan};
    for (int n = 0; n < kClients; ++n) {
      stage_.send_as_server(n, make_message(camp_of(n) == Camp::kA ? a : b));
    }
    stage_.deliver_all();
    return {static_cast<int>(uploads_[0].size()), static_cast<int>(uploads_[1].size())};
  }

  // Two revisions of one chain: camp A gets the first, camp B the second, and each is told of the
  // other's as of a plan that it missed.
  Uploaded show_in_turn(const std::vector<int>& stale_a, const std::vector<int>& stale_b) {
    uploads_.clear();
    plans_.clear();
    for (const Camp camp : {Camp::kA, Camp::kB}) {
      ++revisions_;
      const Step shown = step(camp == Camp::kA ? stale_a : stale_b,
                              std::make_shared<const Groups>(groups()), Camp::kA);
      plans_.push_back(shown.plan);
      for (int n = 0; n < kClients; ++n) {
        stage_.send_as_server(n, camp_of(n) == camp ? make_message(shown) : missed(shown));
      }
      stage_.deliver_all();
    }
    return {static_cast<int>(uploads_[0].size()), static_cast<int>(uploads_[1].size())};
  }

  // One client alone is told of a plan for these rows as of one that it missed.
  void tell_of(int client, const Groups& groups, std::vector<std::size_t> rows) {
    ++revisions_;
    const Step told =
        step({}, std::make_shared<const Groups>(groups), camp_of(client), std::move(rows));
    stage_.send_as_server(client, missed(told));
    stage_.deliver_all();
  }

  // For the plans that were shown last, in the order of clients.
  const std::vector<MessagePtr>& uploads(Camp camp) {
    return uploads_[static_cast<std::size_t>(camp)];
  }
  // What uploads open to as those for a camp's plan: one number per sample and column of the
  // embedding.
  Result<std::vector<std::int64_t>> opened(Camp camp, const std::vector<MessagePtr>& uploads) {
    protocol::UploadBox box(stage_.agreement(), stage_.code());
    box.expect(plans_[static_cast<std::size_t>(camp)]);
    for (const auto& upload : uploads) EXPECT_TRUE(box.add(upload));
    FEDVS_TRY(auto sums, box.open());
    return std::move(sums.sums);
  }
  std::vector<std::int64_t> opened(Camp camp) {
    auto sums = opened(camp, uploads(camp));
    EXPECT_TRUE(sums) << sums.error().message;
    return sums ? *sums : std::vector<std::int64_t>();
  }
  // How the embeddings of these clients differ between their newest version and the one before.
  std::vector<std::int64_t> change_of(const std::vector<int>& clients) {
    const auto& a = stage_.agreement();
    const auto samples = protocol::samples_of(a, plans_[0]->part, plans_[0]->rows);
    std::vector<std::int64_t> change(samples.size() * a.width, 0);
    for (int n : clients) add_change(n, samples, change);
    return change;
  }

  int broken_off() {
    int count = 0;
    for (int n = 0; n < kClients; ++n) count += stage_.client(n).broken_off() ? 1 : 0;
    return count;
  }
  testing::Stage& stage() { return stage_; }
  const Groups& groups() const { return *last_.groups; }

 private:
  MessagePtr pass(int from, int to, MessagePtr message) {
    const auto& agreement = stage_.agreement();
    auto read = wire::decode(agreement, wire::encode(*message)).value();
    if (const auto* step = std::get_if<Step>(read.get()); step && step->plan && !taken_over_) {
      last_step_ = *step;
    }
    const bool between = from >= 0 && to >= 0 && camp_of(from) != camp_of(to);
    const bool word = std::holds_alternative<protocol::Echo>(*read);
    if (taken_over_ && relay_ == Relay::kKeepsCampsApart && between && word) return nullptr;
    if (taken_over_ && std::holds_alternative<protocol::Upload>(*read)) {
      uploads_[static_cast<std::size_t>(camp_of(from))].push_back(read);
    }
    return read;
  }

  Step step(const std::vector<int>& stale, std::shared_ptr<const Groups> groups, Camp camp,
            std::vector<std::size_t> rows = {0, 1, 2, 3, 4, 5, 6, 7}) {
    Step made = last_;
    made.gradient = nullptr;
    made.share.assign(made.share.size(), false);
    made.groups = std::move(groups);
    Plan plan = *last_.plan;
    plan.revision += revisions_;
    plan.part = data::Part::kTest;
    plan.rows = std::move(rows);
    for (int n : stale) --plan.versions[static_cast<std::size_t>(n)]->step;
    made.plan = std::make_shared<const Plan>(std::move(plan));
    if (defended_) sign(made, heads_[static_cast<std::size_t>(camp)]);
    return made;
  }
  MessagePtr missed(const Step& step) const {
    return make_message(protocol::MissedPlan{.step = step});
  }
  void sign(Step& step, SignedHead& head) {
    ++head.index;
    const auto& welcome = stage_.client(0).welcome();
    const auto content =
        protocol::content_of(step, {stage_.run_name(), welcome.sharings, welcome.seeds});
    head.link = protocol::link_after(head.link, head.index, content);
    head.signature =
        stage_.server_key().sign(protocol::signed_text(stage_.run_name(), head.index, head.link));
    step.head = head;
  }
  void add_change(int n, const std::vector<std::size_t>& samples,
                  std::vector<std::int64_t>& change) {
    const auto& a = stage_.agreement();
    const auto& model = stage_.client(n).model();
    const StepNumber named = last_.plan->versions[static_cast<std::size_t>(n)]->step;
    const auto &after = model.rounded().at(named), &before = model.rounded().at(named - 1);
    std::vector<std::int32_t> row(a.inputs(n));
    for (std::size_t s = 0; s < samples.size(); ++s) {
      model.rows(data::Part::kTest).integers(samples[s], row);
      for (std::size_t j = 0; j < a.width; ++j) {
        for (std::size_t i = 0; i < row.size(); ++i) {
          const std::size_t at = j * row.size() + i;
          change[s * a.width + j] += std::int64_t{row[i]} * (after[at] - before[at]);
        }
      }
    }
  }

  testing::Stage stage_;
  const bool defended_;
  const Relay relay_;
  bool taken_over_ = false;
  std::optional<Step> last_step_;
  Step last_;
  SignedHead heads_[2];
  std::uint64_t revisions_ = 0;
  std::vector<std::shared_ptr<const Plan>> plans_;
  std::map<std::size_t, std::vector<MessagePtr>> uploads_;
};

inline std::vector<std::int64_t> difference(const std::vector<std::int64_t>& a,
                                            const std::vector<std::int64_t>& b) {
  std::vector<std::int64_t> out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] - b[i];
  return out;
}

// Entries of the truth that the attacker has right; zeros, which anybody would guess, not counted.
inline int recovered(const std::vector<std::int64_t>& guess,
                     const std::vector<std::int64_t>& truth) {
  int right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) right += truth[i] != 0 && guess[i] == truth[i];
  return right;
}

}  // namespace fedvs::adversary
