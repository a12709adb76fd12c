#include "fedvs/field/kernel.h"

#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

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

// A virtual machine traps every cpuid: asked in a timed loop, it is what the loop measures.
TEST(Kernel, TheProcessorIsAskedOnlyOnce) {
  constexpr long kSetCpuid = 0x1012;  // ARCH_SET_CPUID
  const auto available = available_kernels();
  if (::syscall(SYS_arch_prctl, kSetCpuid, 0) != 0) {
    GTEST_SKIP() << "this processor cannot be told to fault at cpuid";
  }
  for (Kernel kernel : available) {  // a cpuid in here ends the process
    const KernelForTests forced(kernel);
    EXPECT_EQ(active_kernel(), kernel);
  }
  EXPECT_EQ(available_kernels(), available);
  EXPECT_EQ(::syscall(SYS_arch_prctl, kSetCpuid, 1), 0);
}

}  // namespace
}  // namespace fedvs::field
