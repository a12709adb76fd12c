#include "fedvs/model/torch_runtime.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <mutex>

namespace fedvs::model {
namespace {

void use_one_thread_everywhere() {
  at::set_num_threads(1);
  try {
    at::set_num_interop_threads(1);
  } catch (const std::exception&) {  // already running; nothing here uses them
  }
  using SetThreads = void (*)(int);
  if (void* found = dlsym(RTLD_DEFAULT, "openblas_set_num_threads")) {
    reinterpret_cast<SetThreads>(found)(1);
  }
}

}  // namespace

void use_one_thread() {
  static std::once_flag once;
  std::call_once(once, use_one_thread_everywhere);
  thread_local const bool here = (at::init_num_threads(), true);
  static_cast<void>(here);
}

}  // namespace fedvs::model
