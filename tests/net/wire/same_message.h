// Two messages compared field by field, matrices residue by residue.
#pragma once
#include <gtest/gtest.h>

#include "fedvs/protocol/messages.h"

namespace fedvs::testing {

struct Same {
  template <class Pointer, class Compare>
  static void both_or_none(const Pointer& a, const Pointer& b, const Compare& compare) {
    ASSERT_EQ(a == nullptr, b == nullptr);
    if (a) compare(*a, *b);
  }
  static void matrices(const field::RingMatrix& a, const field::RingMatrix& b) {
    EXPECT_TRUE(a == b);
    ASSERT_EQ(a.size_bytes(), b.size_bytes());
    EXPECT_TRUE(std::ranges::equal(a.bytes(), b.bytes()));  // padding too: zero
  }
  static void shares(const protocol::Share& a, const protocol::Share& b) {
    matrices(a.matrix(), b.matrix());
  }
  static void holdings(const protocol::Holdings& a, const protocol::Holdings& b) {
    EXPECT_EQ(a.older, b.older);
    EXPECT_EQ(a.newest, b.newest);
    EXPECT_EQ(a.data_complete, b.data_complete);
    EXPECT_EQ(a.saved, b.saved);
    EXPECT_EQ(a.rows_held, b.rows_held);
  }
  static void plans(const protocol::Plan& a, const protocol::Plan& b) { EXPECT_EQ(a, b); }
  static void gradients(const protocol::Gradient& a, const protocol::Gradient& b) {
    EXPECT_EQ(a.plan(), b.plan());
    EXPECT_EQ(a.values(), b.values());
    EXPECT_EQ(a.digest(), b.digest());
  }

  void operator()(const protocol::Hello& a, const protocol::Hello& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.incarnation, b.incarnation);
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.chain, b.chain);
    EXPECT_EQ(a.card, b.card);
    EXPECT_EQ(a.seeds, b.seeds);
    EXPECT_EQ(a.sharing, b.sharing);
    EXPECT_EQ(a.groups, b.groups);
    EXPECT_EQ(a.head, b.head);
  }
  void operator()(const protocol::MissedPlan& a, const protocol::MissedPlan& b) const {
    (*this)(a.step, b.step);
    EXPECT_EQ(a.more, b.more);
  }
  void operator()(const protocol::Echo& a, const protocol::Echo& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.head, b.head);
    EXPECT_EQ(a.kind, b.kind);
  }
  void operator()(const protocol::Welcome& a, const protocol::Welcome& b) const {
    EXPECT_EQ(a.server, b.server);
    EXPECT_EQ(a.clients, b.clients);
    EXPECT_EQ(a.training, b.training);
    EXPECT_EQ(a.cards, b.cards);
    EXPECT_EQ(a.sharings, b.sharings);
    EXPECT_EQ(a.named, b.named);
  }
  void operator()(const protocol::RowKey& a, const protocol::RowKey& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.key, b.key);
  }
  void operator()(const protocol::RowCheck& a, const protocol::RowCheck& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.digest, b.digest);
    EXPECT_EQ(a.groups, b.groups);
  }
  void operator()(const protocol::RowVerdict& a, const protocol::RowVerdict& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.incarnation, b.incarnation);
    EXPECT_EQ(a.differ, b.differ);
  }
  void operator()(const protocol::ModelRequest& a, const protocol::ModelRequest& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.held, b.held);
  }
  void operator()(const protocol::DataRequest& a, const protocol::DataRequest& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.part, b.part);
    EXPECT_EQ(a.first_row, b.first_row);
  }
  void operator()(const protocol::DataShare& a, const protocol::DataShare& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.part, b.part);
    EXPECT_EQ(a.first_row, b.first_row);
    EXPECT_EQ(a.sharing, b.sharing);
    both_or_none(a.values, b.values, matrices);
  }
  void operator()(const protocol::ModelShare& a, const protocol::ModelShare& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.version, b.version);
    EXPECT_EQ(a.chain, b.chain);
    both_or_none(a.values, b.values, shares);
    EXPECT_EQ(a.head, b.head);
  }
  void operator()(const protocol::SeedShare& a, const protocol::SeedShare& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.maker, b.maker);
    EXPECT_EQ(a.commitments, b.commitments);
    ASSERT_EQ(a.seeds.size(), b.seeds.size());
    for (std::size_t i = 0; i < a.seeds.size(); ++i) {
      EXPECT_EQ(a.seeds[i].set, b.seeds[i].set);
      EXPECT_EQ(a.seeds[i].seed, b.seeds[i].seed);
    }
  }
  void operator()(const protocol::SeedRequest& a, const protocol::SeedRequest& b) const {
    EXPECT_EQ(a.from, b.from);
  }
  void operator()(const protocol::Step& a, const protocol::Step& b) const {
    both_or_none(a.gradient, b.gradient, gradients);
    EXPECT_EQ(a.share, b.share);
    both_or_none(a.plan, b.plan, plans);
    both_or_none(a.groups, b.groups,
                 [](const auto& left, const auto& right) { EXPECT_EQ(left, right); });
    EXPECT_EQ(a.frozen, b.frozen);
    EXPECT_EQ(a.released, b.released);
    EXPECT_EQ(a.rate_factor, b.rate_factor);
    EXPECT_EQ(a.head, b.head);
  }
  void operator()(const protocol::Upload& a, const protocol::Upload& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.tag, b.tag);
    EXPECT_EQ(a.revision, b.revision);
    both_or_none(a.values, b.values, matrices);
    holdings(a.holdings, b.holdings);
  }
  void operator()(const protocol::Report& a, const protocol::Report& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.agreeing, b.agreeing);
    holdings(a.holdings, b.holdings);
    EXPECT_EQ(a.finished, b.finished);
  }
  void operator()(const protocol::ReportRequest& a, const protocol::ReportRequest& b) const {
    EXPECT_EQ(a.fetch_again, b.fetch_again);
  }
  void operator()(const protocol::Refusal& a, const protocol::Refusal& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.revision, b.revision);
    EXPECT_EQ(a.reason, b.reason);
  }
  void operator()(const protocol::Complaint& a, const protocol::Complaint& b) const {
    EXPECT_EQ(a.from, b.from);
    EXPECT_EQ(a.about, b.about);
    EXPECT_EQ(a.reason, b.reason);
  }
  void operator()(const protocol::Regather&, const protocol::Regather&) const {}
  void operator()(const protocol::Farewell& a, const protocol::Farewell& b) const {
    EXPECT_EQ(a.ending, b.ending);
    EXPECT_EQ(a.reason, b.reason);
  }
  template <class A, class B>
  void operator()(const A&, const B&) const {
    ADD_FAILURE() << "messages of different kinds";
  }
};

inline void expect_same(const protocol::Message& a, const protocol::Message& b) {
  std::visit(Same{}, a, b);
}

}  // namespace fedvs::testing
