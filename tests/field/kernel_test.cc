#include "fedvs/field/kernel.h"

#include <gmock/gmock.h>

#include <string>

namespace fedvs::field {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Kernel, PortableIsAvailableEverywhere) {
  EXPECT_EQ(available_kernels().front(), Kernel::kPortable);
  EXPECT_EQ(choose_kernel("portable").value(), Kernel::kPortable);
}

TEST(Kernel, TheFastestIsChosenUnlessOneIsForced) {
  EXPECT_EQ(choose_kernel(nullptr).value(), available_kernels().back());
  EXPECT_EQ(choose_kernel("").value(), available_kernels().back());
  for (Kernel kernel : available_kernels()) {
    EXPECT_EQ(choose_kernel(std::string(name(kernel)).c_str()).value(), kernel);
  }
}

TEST(Kernel, AnUnknownNameIsAnErrorThatNamesTheKernels) {
  for (const char* wrong : {"avx", "AVX2", "portable ", "gpu"}) {
    const auto chosen = choose_kernel(wrong);
    ASSERT_FALSE(chosen);
    EXPECT_EQ(chosen.error().code, ErrorCode::kBadJob);
    EXPECT_THAT(chosen.error().message, HasSubstr(wrong));
    EXPECT_THAT(chosen.error().message, HasSubstr("portable, avx2, vnni and amx"));
  }
}

TEST(Kernel, OneThatTheMachineLacksIsAnErrorThatNamesWhatItHas) {
  bool lacks_one = false;
  for (const char* wanted : {"avx2", "vnni", "amx"}) {
    const auto chosen = choose_kernel(wanted);
    if (chosen) continue;
    lacks_one = true;
    EXPECT_EQ(chosen.error().code, ErrorCode::kBadJob);
    for (Kernel kernel : available_kernels()) {
      EXPECT_THAT(chosen.error().message, HasSubstr(std::string(name(kernel))));
    }
  }
  if (!lacks_one) GTEST_SKIP() << "this machine has every kernel";
}

TEST(Kernel, ForTestsIsInUseUntilItGoes) {
  const Kernel before = active_kernel();
  {
    const KernelForTests forced(Kernel::kPortable);
    EXPECT_EQ(active_kernel(), Kernel::kPortable);
  }
  EXPECT_EQ(active_kernel(), before);
  EXPECT_THAT(available_kernels(), Contains(before));
  EXPECT_TRUE(check_kernel());
}

}  // namespace
}  // namespace fedvs::field
