#include "fedvs/field/kernel.h"

#include <cpuid.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace fedvs::field {
namespace {

constexpr std::array kKernels{Kernel::kPortable, Kernel::kAvx2, Kernel::kVnni, Kernel::kAmx};
constexpr const char* kVariable = "FEDVS_KERNEL";

// These built-ins also ask whether the operating system saves the registers.
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt");
}

bool has_vnni() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vnni");
}

__attribute__((target("xsave"))) std::uint64_t saved_state() { return __builtin_ia32_xgetbv(0); }

bool cpu_has_amx() {
  constexpr unsigned kTile = 1u << 24, kInt8 = 1u << 25, kOsXsave = 1u << 27;
  unsigned a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kOsXsave) == 0) return false;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  return (d & kTile) != 0 && (d & kInt8) != 0;
}

// Linux gives the tile registers only to a process that asked; all its threads then have them.
bool system_grants_amx() {
  constexpr std::uint64_t kTileState = 3u << 17;  // tile configuration and tile data
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  if ((saved_state() & kTileState) != kTileState) return false;
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool detect(Kernel kernel) {
  switch (kernel) {
    case Kernel::kPortable:
      return true;
    case Kernel::kAvx2:
      return has_avx2();
    case Kernel::kVnni:
      return has_vnni();
    case Kernel::kAmx:
      return has_vnni() && cpu_has_amx() && system_grants_amx();
  }
  return false;
}

// Asked for once: a virtual machine traps every cpuid, which takes longer than a product on AMX.
bool has(Kernel kernel) {
  static const auto detected = [] {
    std::array<bool, kKernels.size()> found{};
    for (Kernel each : kKernels) found[static_cast<std::size_t>(each)] = detect(each);
    return found;
  }();
  return detected[static_cast<std::size_t>(kernel)];
}

std::string names_of(const std::vector<Kernel>& kernels) {
  std::string names;
  for (Kernel kernel : kernels) {
    if (!names.empty()) names += ", ";
    names += name(kernel);
  }
  return names;
}

std::atomic<Kernel>& active() {
  static std::atomic<Kernel> kernel = choose_kernel(std::getenv(kVariable)).value();
  return kernel;
}

}  // namespace

std::string_view name(Kernel kernel) {
  constexpr std::array<std::string_view, kKernels.size()> kNames{"portable", "avx2", "vnni", "amx"};
  return kNames[static_cast<std::size_t>(kernel)];
}

std::vector<Kernel> available_kernels() {
  std::vector<Kernel> available;
  for (Kernel kernel : kKernels) {
    if (has(kernel)) available.push_back(kernel);
  }
  return available;
}

Result<Kernel> choose_kernel(const char* forced) {
  const std::vector<Kernel> available = available_kernels();
  if (forced == nullptr || *forced == '\0') return available.back();
  for (Kernel kernel : kKernels) {
    if (name(kernel) != forced) continue;
    if (has(kernel)) return kernel;
    return Error{ErrorCode::kBadJob, fmt::format("{}={}, but this machine has only {}", kVariable,
                                                 forced, names_of(available))};
  }
  return Error{ErrorCode::kBadJob,
               fmt::format("{}={} is no kernel; the kernels are portable, avx2, vnni and amx, and "
                           "this machine has {}",
                           kVariable, forced, names_of(available))};
}

Status check_kernel() {
  if (auto chosen = choose_kernel(std::getenv(kVariable)); !chosen) return chosen.error();
  return {};
}

Kernel active_kernel() { return active().load(std::memory_order_relaxed); }

KernelForTests::KernelForTests(Kernel kernel) : before_(active_kernel()) {
  FEDVS_CHECK(has(kernel), "a kernel that this machine has");
  active() = kernel;
}

KernelForTests::~KernelForTests() { active() = before_; }

}  // namespace fedvs::field
