// Evidence as a file: what a client writes, anybody can check.
#include "fedvs/party/evidence.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fedvs/net/seal/signing.h"
#include "fedvs/party/head_log.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/agreement_fixture.h"

namespace fedvs::party {
namespace {

using nlohmann::json;
using protocol::first_link;
using protocol::link_after;
using protocol::signed_text;
using protocol::SignedHead;

Digest digest(std::string_view name) { return Hasher().add(name).finish(); }

class EvidenceTest : public ::testing::Test {
 protected:
  SignedHead head(std::uint64_t index, const Digest& link) const {
    return {index, link, key_.sign(signed_text(run_, index, link))};
  }
  // The first plan was shown to others as another; a second followed here.
  Evidence evidence() const {
    const Digest own = link_after(first_link(run_), 1, digest("own"));
    const Digest other = link_after(first_link(run_), 1, digest("other"));
    return {.proof = {.run = run_,
                      .other = head(1, other),
                      .own_link = own,
                      .contents = {digest("second")},
                      .own = head(2, link_after(own, 2, digest("second"))),
                      .heard_from = 3},
            .server_key = key_.public_key,
            .server = "lab.example.org:7443",
            .seen_by = "bank-a",
            .heard_from = "bank-d"};
  }
  const seal::SigningKey key_ = seal::SigningKey::generate();
  const Digest run_ = digest("run");
  ScratchFolder folder_;
};

TEST_F(EvidenceTest, IsKeptInTheFolderAndProvesTheSameWhenRead) {
  const auto file = keep_evidence(folder_.path(), evidence()).value();
  EXPECT_EQ(file.filename(), "evidence-1.json");
  const auto read = parse_evidence(contents_of(file), "x");
  ASSERT_TRUE(read) << read.error().message;
  const auto good = check(*read);
  EXPECT_TRUE(good) << good.error().message;
  EXPECT_EQ(print_evidence(*read), contents_of(file));
}

TEST_F(EvidenceTest, AnyChangedValueMakesItWorthless) {
  const json whole = json::parse(print_evidence(evidence()));
  const auto proves = [&](const json& changed) {
    const auto read = parse_evidence(changed.dump(), "x");
    return read && check(*read);
  };
  ASSERT_TRUE(proves(whole));
  const auto flip = [](json& hex) {
    auto text = hex.get<std::string>();
    text[5] = text[5] == '0' ? '1' : '0';
    hex = text;
  };
  for (const char* key : {"server_key", "run", "own_link"}) {
    json changed = whole;
    flip(changed[key]);
    EXPECT_FALSE(proves(changed)) << key;
  }
  for (const char* which : {"own", "other"}) {
    for (const char* key : {"link", "signature"}) {
      json changed = whole;
      flip(changed[which][key]);
      EXPECT_FALSE(proves(changed)) << which << key;
    }
    json changed = whole;
    changed[which]["index"] = 5;
    EXPECT_FALSE(proves(changed)) << which;
  }
  json same = whole;
  same["other"] = same["own"];
  same["headers"] = json::array();
  same["own_link"] = same["own"]["link"];
  EXPECT_FALSE(proves(same));  // one chain is no proof
}

TEST_F(EvidenceTest, OtherFilesAreNoEvidence) {
  for (const std::string text : {"", "[]", "{}", "{\"fedvs\": 3}", "\xff\xfe"}) {
    EXPECT_FALSE(parse_evidence(text, "x")) << text;
  }
  json lacking = json::parse(print_evidence(evidence()));
  lacking.erase("headers");
  EXPECT_FALSE(parse_evidence(lacking.dump(), "x"));
}

TEST_F(EvidenceTest, RunsDifferInEveryTerm) {
  wire::Terms terms{.features = {2, 3}, .rows = {6, 1, 1}, .classes = 2, .total_rows = 8};
  std::set<Digest> all{run_digest(run_, key_.public_key, terms)};
  const auto add = [&](const wire::Terms& changed) {
    EXPECT_TRUE(all.insert(run_digest(run_, key_.public_key, changed)).second);
  };
  auto changed = terms;
  changed.run_id[0] = 1;
  add(changed);
  changed = terms;
  changed.features = {3, 2};
  add(changed);
  changed = terms;
  changed.rows = {5, 2, 1};
  add(changed);
  changed = terms;
  changed.versions = {0, 0};
  add(changed);
}

TEST_F(EvidenceTest, TheChainOfPlansOutlivesTheServer) {
  const auto path = folder_ / "heads.log";
  const auto agreement = fedvs::testing::small_agreement();
  const auto entry = [](std::size_t i) {
    return protocol::HeadArchive::Entry{digest(fmt::format("h{}", i)),
                                        digest(fmt::format("l{}", i))};
  };
  const auto step = [](std::size_t i) {
    protocol::Plan plan{.round = i, .revision = 2 * i, .rows = {}, .versions = {}};
    for (std::size_t row = 0; row <= i % 5; ++row)
      plan.rows.push_back(row);  // records of many sizes
    plan.versions.resize(7);
    protocol::Step made;
    made.share.assign(7, true);
    made.frozen = made.released = made.share;
    made.plan = std::make_shared<const protocol::Plan>(std::move(plan));
    return made;
  };
  {
    auto log = HeadLog::open(path, agreement, {}).value();
    EXPECT_EQ(log->last(), 0u);
    for (std::size_t i = 1; i <= 300; ++i) ASSERT_TRUE(log->append(entry(i), step(i)));
    EXPECT_EQ(log->read(17)->link, entry(17).link);
  }
  // A torn record was never signed.
  put(path, contents_of(path) + "half a record");
  auto log = HeadLog::open(path, agreement, {}).value();
  EXPECT_EQ(log->last(), 300u);
  for (std::size_t i : {1u, 2u, 150u, 299u, 300u}) {
    EXPECT_EQ(log->read(i)->content, entry(i).content) << i;
    EXPECT_EQ(*log->step(i)->plan, *step(i).plan) << i;
  }
  EXPECT_FALSE(log->step(301));
  EXPECT_FALSE(log->read(0));
  EXPECT_FALSE(log->read(301));
  ASSERT_TRUE(log->append(entry(301), step(301)));
  // The last one is taken back, and another put in its place.
  ASSERT_TRUE(log->forget_after(300));
  EXPECT_EQ(log->last(), 300u);
  EXPECT_EQ(log->read(300)->link, entry(300).link);
  ASSERT_TRUE(log->append(entry(301), step(301)));
  EXPECT_EQ(log->read(301)->link, entry(301).link);
}

class OldPlans : public EvidenceTest, public ::testing::WithParamInterface<HeadLog::Most> {};
INSTANTIATE_TEST_SUITE_P(Evidence, OldPlans,
                         ::testing::Values(HeadLog::Most{.bytes = 4096},
                                           HeadLog::Most{.steps = 100}));

TEST_P(OldPlans, LeaveTheirLinksAndNotTheirSteps) {
  const auto path = folder_ / "heads.log";
  const auto most = GetParam();
  const auto agreement = fedvs::testing::small_agreement();
  protocol::Plan plan{.rows = {1, 2, 3}, .versions = {}};
  plan.versions.resize(7);
  protocol::Step step;
  step.share = step.frozen = step.released = std::vector<bool>(7, false);
  step.plan = std::make_shared<const protocol::Plan>(std::move(plan));
  auto log = HeadLog::open(path, agreement, most).value();
  for (int i = 1; i <= 500; ++i) {
    ASSERT_TRUE(log->append({digest("h"), digest(fmt::format("l{}", i))}, step));
  }
  const auto oldest = log->oldest_step();
  EXPECT_GT(oldest, 300u);
  for (int life = 0; life < 2; ++life) {
    EXPECT_EQ(log->last(), 500u);
    EXPECT_EQ(log->oldest_step(), oldest);
    EXPECT_EQ(log->read(1)->link, digest("l1"));
    EXPECT_FALSE(log->step(oldest - 1));
    EXPECT_EQ(*log->step(oldest)->plan, *step.plan);
    log = HeadLog::open(path, agreement, most).value();
  }
}

}  // namespace
}  // namespace fedvs::party
