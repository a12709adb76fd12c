// The command `fedvs`: sets what OpenBLAS and OpenMP read while they are loaded, then becomes
// fedvs-main. It must not link them itself, so it links nothing.
#include <libgen.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <string>

#include "openblas_environment.h"

namespace {

std::string own_folder() {
  char path[PATH_MAX] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return ".";
  return dirname(path);
}

}  // namespace

int main(int, char** argv) {
  fedvs::set_openblas_environment();
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
