// How a run on the stage must end, whatever happened to its parties.
#pragma once
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>

#include "tests/support/stage.h"

namespace fedvs::testing {

constexpr std::uint64_t kRounds = 21;
inline const Sets kWait = {"protocol.late_models=wait"};
inline const Sets kReuse = {"protocol.late_models=reuse"};

// R = 5 of nine: the sums that were opened trained a model as well as ever, and no row was opened
// with two version vectors in one epoch.
inline void expect_good_end(Stage& stage) {
  ASSERT_TRUE(stage.server().status())
      << stage.server().status().error().message << ::testing::PrintToString(stage.recorder.notes);
  ASSERT_TRUE(stage.server().done());
  EXPECT_GE(stage.server().rounds(),
            kRounds - 4);  // rows of an abandoned plan wait for the next epoch
  std::map<std::pair<int, std::size_t>, Digest> vectors;  // of a training row in an epoch
  for (const auto& [revision, plan] : stage.plans) {
    for (auto row : plan->rows) {
      if (!plan->training()) continue;
      const auto id = protocol::version_vector_id(*plan);
      const auto [known, is_new] = vectors.try_emplace({plan->epoch, row}, id);
      EXPECT_EQ(known->second, id) << "row " << row << " with two version vectors";
    }
  }
}

// For a reader of the test's output: how far the run has got, and whether it ended.
inline void print_end(Stage& stage) {
  const auto& status = stage.server().status();
  std::printf(
      "rounds %llu after %.1f s, %s\n", static_cast<unsigned long long>(stage.server().rounds()),
      stage.now(),
      status ? (stage.server().done() ? "done" : "not ended") : status.error().message.c_str());
}

}  // namespace fedvs::testing
