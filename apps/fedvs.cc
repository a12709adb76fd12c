// The command `fedvs`: sets what OpenBLAS and OpenMP read while they are loaded, then becomes
// fedvs-main. It must not link them itself, so it links nothing.
#include <libgen.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

// Departs from OpenBLAS's own choice: 0.3.21 takes CPUs newer than itself for "Prescott", which
// makes matrix products 3 to 10 times slower.
const char* openblas_core() {
  __builtin_cpu_init();
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (avx512) return "SkylakeX";
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell" : nullptr;
}

void prepare_environment() {
  constexpr int kKeepTheUsers = 0;
  if (const char* core = openblas_core()) setenv("OPENBLAS_CORETYPE", core, kKeepTheUsers);
  // Our own threads do the work; a second one inside libtorch makes it slower. For the same reason
  // OMP_WAIT_POLICY is left alone: "passive" costs more than it saves.
  setenv("OPENBLAS_NUM_THREADS", "1", kKeepTheUsers);
  setenv("OMP_NUM_THREADS", "1", kKeepTheUsers);
}

std::string own_folder() {
  char path[PATH_MAX] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return ".";
  return dirname(path);
}

}  // namespace

int main(int, char** argv) {
  prepare_environment();
  const std::string folder = own_folder();
  std::string program = folder + "/fedvs-main";
  execv(program.c_str(), argv);
  if (errno == ENOENT) {
    program = folder + "/../libexec/fedvs/fedvs-main";
    execv(program.c_str(), argv);
  }
  fprintf(stderr, "fedvs: cannot start %s: %s; build it with `make build`, or install it again\n",
          program.c_str(), strerror(errno));
  return 1;
}
