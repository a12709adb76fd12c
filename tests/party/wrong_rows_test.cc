// A client comes with the wrong file first: it is told and sent away, nobody notes anything, the
// others wait, and the right file is all that it takes. Also where the server, or whoever relays
// for it, hides that the ids differ: then the other clients find it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fedvs/net/wire/codec.h"
#include "fedvs/party/evidence.h"
#include "fedvs/protocol/agreement.h"
#include "tests/party/middle.h"
#include "tests/party/rehearsal.h"

namespace fedvs::party::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kFirst = 0, kLast = Rehearsal::kClients - 1;
constexpr int kMost = Rehearsal::kClients / 2 + 1;

// What the server says of its rows comes to a client as if they were those of its wrong file; and
// the name of the run, which depends on that, comes to the server as it should be.
class Hiding {
 public:
  Hiding(deploy::ServerFolder server, const Digest& theirs)
      : server_(std::move(server)), theirs_(theirs) {}

  Frames down(const v1::Frame& frame) {
    auto envelope = envelope_in(frame, Rehearsal::kClients);
    auto* offer = envelope ? std::get_if<wire::RowsOffer>(&*envelope) : nullptr;
    auto* terms = envelope ? std::get_if<wire::Terms>(&*envelope) : nullptr;
    if (offer == nullptr && terms == nullptr) return {frame};
    if (terms != nullptr) note(*terms);
    (offer != nullptr ? offer->row_ids : terms->row_ids) = theirs_;
    return {with(frame, *envelope)};
  }
  Frames up(const v1::Frame& frame) const {
    auto envelope = envelope_in(frame, Rehearsal::kClients);
    auto* open = envelope ? std::get_if<wire::OpenMessage>(&*envelope) : nullptr;
    if (open == nullptr || !agreement_) return {frame};
    const auto message = wire::decode(*agreement_, open->bytes).value();
    const auto* said = std::get_if<protocol::Hello>(message.get());
    if (said == nullptr) return {frame};
    protocol::Hello hello = *said;
    hello.head->link = protocol::first_link(run_);
    open->bytes = wire::encode(protocol::Message(hello));
    return {with(frame, *envelope)};
  }

 private:
  void note(const wire::Terms& terms) {
    const std::vector<int> features(terms.features.begin(), terms.features.end());
    const std::size_t rows[] = {terms.rows[0], terms.rows[1], terms.rows[2]};
    agreement_ =
        protocol::agree(server_.job, features, rows, static_cast<int>(terms.classes)).value();
    run_ = run_digest(server_.job_digest, server_.signing.public_key, terms);
  }
  deploy::ServerFolder server_;
  Digest theirs_, run_{};
  std::optional<protocol::Agreement> agreement_;
};

class WrongRows : public ::testing::Test {
 protected:
  data::PartyRows wrong_file(int n) const {
    auto rows = run_.rows_of(n);
    rows.rows.ids.back() += "0";
    return rows;
  }
  void start_all_but(int wrong) {
    for (int n = 0; n < Rehearsal::kClients; ++n) {
      if (n != wrong) run_.start_client(n);
    }
  }
  void expect_sent_away(int wrong, const std::string& reason, const std::string& in_notes) {
    const Status ended = run_.wait_client(wrong);
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().code, ErrorCode::kRefused);
    EXPECT_THAT(ended.error().message, HasSubstr(reason));
    EXPECT_TRUE(run_.diary().wait_for_note(in_notes)) << run_.log().text();
    expect_nothing_pinned();
  }
  void expect_nothing_pinned() {
    for (int n = 0; n < Rehearsal::kClients; ++n) {
      const auto& folder = run_.trial().clients[static_cast<std::size_t>(n)];
      EXPECT_FALSE(std::filesystem::exists(folder / "state" / "terms")) << n;
      EXPECT_FALSE(std::filesystem::exists(folder / "state" / "client.ckpt")) << n;
    }
  }
  void expect_the_right_file_to_do(int wrong) {
    run_.start_client(wrong);
    const auto ending = run_.wait();
    EXPECT_TRUE(ending.server) << ending.server.error().message;
    for (const auto& client : ending.clients) EXPECT_TRUE(client) << client.error().message;
    EXPECT_GT(ending.rounds, 0u);
  }

  std::unique_ptr<Middle> hide_from(int n) {
    auto middle =
        std::make_unique<Middle>(n, run_.address(), run_.server_tls(), run_.client_tls(n));
    middle->pass_refusals();
    const auto hiding = std::make_shared<Hiding>(run_.server_folder(),
                                                 data::row_ids_digest(nullptr, wrong_file(n).rows));
    middle->change_down([hiding](const v1::Frame& frame) { return hiding->down(frame); });
    middle->change_up([hiding](const v1::Frame& frame) { return hiding->up(frame); });
    return middle;
  }
  void expect_found_by_the_others(int wrong) {
    run_.start_server();
    const auto middle = hide_from(wrong);
    start_all_but(wrong);
    run_.start_client(wrong, wrong_file(wrong), middle->address());
    const std::string told =
        "the row ids of " + Rehearsal::name(wrong) + " are not those of most clients";
    expect_sent_away(wrong, "the server refuses: " + told, told);
    // Each client says whom it has found, and most had to for that: this one, and nobody else.
    const std::string found = " has other row ids than most clients";
    EXPECT_GE(run_.log().count(Rehearsal::name(wrong) + found), static_cast<std::size_t>(kMost));
    EXPECT_EQ(run_.log().count(found), run_.log().count(Rehearsal::name(wrong) + found));
    expect_the_right_file_to_do(wrong);
  }
  Rehearsal run_{{"train.epochs=1", "train.evaluate_every=1"}};
};

TEST_F(WrongRows, AreFoundInTheFirstHandshakeWhoeverComesFirst) {
  run_.start_server();
  run_.start_client(kLast, wrong_file(kLast), "");
  expect_sent_away(kLast, "the ids (or the columns part and subject) differ",
                   "client-6 holds 900 rows, but not the ids of the label file");
  start_all_but(kLast);
  expect_the_right_file_to_do(kLast);
}

TEST_F(WrongRows, AreFoundByTheOtherClientsWhenTheServerHidesThem) {
  expect_found_by_the_others(kLast);
}

TEST_F(WrongRows, OfTheClientThatDrawsTheKeyToCompareWithAreFoundLikeAnyOthers) {
  expect_found_by_the_others(kFirst);
}

}  // namespace
}  // namespace fedvs::party::testing
