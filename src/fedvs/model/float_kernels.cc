#include "fedvs/model/float_kernels.h"

namespace fedvs::model {

const FloatKernels& float_kernels(field::Kernel kernel) {
  switch (kernel) {
    case field::Kernel::kPortable:
      return kPortableFloatKernels;
    case field::Kernel::kAvx2:
      return kAvx2FloatKernels;
    case field::Kernel::kVnni:
    case field::Kernel::kAmx:
      return kAvx512FloatKernels;
  }
  return kPortableFloatKernels;
}

}  // namespace fedvs::model
