// The mask of an upload follows from the plan. Were two plans masked alike, the difference of two
// uploads would be that of the sums' polynomials, all of it. A server names no masks, so what is
// left to it is to make plans; no two of them have the same mask.
#include <functional>
#include <iostream>

#include "tests/adversary/camps.h"
#include "tests/support/agreement_fixture.h"

namespace fedvs::adversary {
namespace {

using protocol::RunFacts;
using protocol::SharingId;
using protocol::Version;

// A plan of three clients, and what its digest is made of besides.
struct Shown {
  Plan plan{
      .rows = {0, 1},
      .versions = std::vector<std::optional<Version>>(3, Version{0, testing::incarnation(1)})};
  Groups groups{{0, 1, 2}};
  std::vector<bool> frozen = std::vector<bool>(3, false), released = frozen;
  Digest run{};
  std::vector<SharingId> sharings = std::vector<SharingId>(3);
  std::vector<Digest> seeds = std::vector<Digest>(3);

  Digest content() const {
    Step step;
    step.plan = std::make_shared<const Plan>(plan);
    step.groups = std::make_shared<const Groups>(groups);
    step.frozen = frozen;
    step.released = released;
    return protocol::content_of(step, RunFacts{run, sharings, seeds});
  }
};

TEST(PlanContent, IsAnotherForEveryPlanRunSharingAndListOfSeeds) {
  const std::vector<std::function<void(Shown&)>> changes = {
      [](Shown&) {},
      [](Shown& s) { s.plan.round = 1; },
      [](Shown& s) { s.plan.revision = 1; },
      [](Shown& s) { s.plan.epoch = 1; },
      [](Shown& s) { s.plan.part = data::Part::kTest; },
      [](Shown& s) {
        s.plan.rows = {1, 0};
      },
      [](Shown& s) {
        s.plan.rows = {0, 1, 2};
      },
      [](Shown& s) { s.plan.versions[1]->step = 1; },
      [](Shown& s) { s.plan.versions[1]->incarnation = testing::incarnation(2); },
      [](Shown& s) { s.plan.versions[1].reset(); },
      [](Shown& s) {
        s.groups = {{0, 1}, {2}};
      },
      [](Shown& s) { s.frozen[1] = true; },
      [](Shown& s) { s.released[1] = true; },
      [](Shown& s) { s.run[0] = 1; },
      [](Shown& s) { s.sharings[1].bytes[0] = 1; },
      [](Shown& s) { s.sharings[2].bytes[0] = 1; },
      [](Shown& s) { s.seeds[1][0] = 1; },
      [](Shown& s) { s.seeds[2][0] = 1; },
  };
  std::set<Digest> contents;
  for (const auto& change : changes) {
    Shown shown;
    change(shown);
    contents.insert(shown.content());
  }
  EXPECT_EQ(contents.size(), changes.size());
}

// How many elements two uploads of one client have in common.
std::size_t in_common(const MessagePtr& one, const MessagePtr& other, std::size_t& of) {
  const auto& a = *std::get<protocol::Upload>(*one).values;
  const auto& b = *std::get<protocol::Upload>(*other).values;
  std::size_t same = 0;
  for (int plane = 0; plane < a.ring().planes(); ++plane) {
    for (std::size_t r = 0; r < a.rows(); ++r) {
      for (std::size_t c = 0; c < a.cols(); ++c) {
        same += a.get(plane, r, c) == b.get(plane, r, c) ? 1 : 0;
        ++of;
      }
    }
  }
  return same;
}

// Rows and versions are the same, so that without masks every client would upload the same twice.
TEST(PlanMasks, AreOthersInEveryRevision) {
  Camps camps({"protocol.equivocation=detect", "protocol.late_models=wait"}, /*rounds=*/6,
              /*defended=*/true, Relay::kHonest);
  const auto groups = std::make_shared<const Groups>(camps.groups());
  ASSERT_EQ(camps.show({}, {}, groups, groups).a, Camps::kSizeOfA);
  const auto first = camps.uploads(Camp::kA);
  const auto sums = camps.opened(Camp::kA);
  ASSERT_EQ(camps.show({}, {}, groups, groups).a, Camps::kSizeOfA);
  EXPECT_EQ(camps.opened(Camp::kA), sums);
  std::size_t same = 0, of = 0;
  for (std::size_t n = 0; n < first.size(); ++n) {
    same += in_common(first[n], camps.uploads(Camp::kA)[n], of);
  }
  std::cout << same << " of " << of << " elements uploaded twice\n";
  EXPECT_LE(same, of / 100);  // by chance
}

// The first three of each camp. R = 3 open a sum, and one more tells whether they belong together.
std::vector<MessagePtr> of_both(Camps& camps) {
  std::vector<MessagePtr> mixed;
  for (const Camp camp : {Camp::kA, Camp::kB}) {
    const auto& uploads = camps.uploads(camp);
    mixed.insert(mixed.end(), uploads.begin(), uploads.begin() + 3);
  }
  return mixed;
}

// One revision with the same rows and versions, for one camp with other groups: the sums are the
// same. Under one mask, the uploads of both would lie on one polynomial.
TEST(PlanMasks, OfTwoCampsAreOthersThoughTheRevisionIsTheSame) {
  const Groups a{{0, 1, 2}, {3, 4, 5, 6, 7, 8}}, b{{0, 1, 2, 3}, {4, 5, 6, 7, 8}};
  for (const bool same_plan : {true, false}) {
    Camps camps({"protocol.equivocation=detect"}, /*rounds=*/3, /*defended=*/false, Relay::kHonest);
    const auto uploaded = camps.show({}, {}, std::make_shared<const Groups>(a),
                                     std::make_shared<const Groups>(same_plan ? a : b));
    ASSERT_GE(uploaded.a, 3);
    ASSERT_GE(uploaded.b, 3);
    EXPECT_EQ(camps.opened(Camp::kA), camps.opened(Camp::kB));
    EXPECT_EQ(camps.opened(Camp::kA, of_both(camps)).has_value(), same_plan);
  }
}

}  // namespace
}  // namespace fedvs::adversary
