// Which instruction set the products run on: chosen once, by what the processor has, what the
// operating system lets a process use, and FEDVS_KERNEL. Results are the same bits whichever it is.
//   portable  any x86-64
//   avx2      AVX2, BMI2 and POPCNT
//   vnni      avx2, AVX-512 F, BW, DQ, VL and VNNI; products of m31 run on AVX2 without IFMA
//   amx       vnni, AMX-TILE and AMX-INT8
#pragma once
#include <string_view>
#include <vector>

#include "fedvs/base/result.h"

namespace fedvs::field {

enum class Kernel { kPortable, kAvx2, kVnni, kAmx };  // each faster than those before it

std::string_view name(Kernel kernel);
std::vector<Kernel> available_kernels();  // on this machine, slowest first
// The one called `forced`, or the fastest where `forced` is null or empty. kBadJob for an unknown
// name or a kernel that this machine lacks.
Result<Kernel> choose_kernel(const char* forced);
Status check_kernel();   // whether FEDVS_KERNEL can be used: for the start of a program
Kernel active_kernel();  // chosen at first use; aborts where check_kernel() fails

class KernelForTests {  // in use until it goes; not while another thread multiplies
 public:
  explicit KernelForTests(Kernel kernel);
  ~KernelForTests();
  KernelForTests(const KernelForTests&) = delete;
  KernelForTests& operator=(const KernelForTests&) = delete;

 private:
  Kernel before_;
};

}  // namespace fedvs::field
