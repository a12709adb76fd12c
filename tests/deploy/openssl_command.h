// The `openssl` program: an oracle that we did not write.
#pragma once
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "fedvs/base/check.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::deploy {

struct Said {
  int status;  // of exit
  std::string text;
};

// Runs without a shell; stdout and stderr together.
inline Said openssl(std::vector<std::string> arguments) {
  const ScratchFolder scratch;
  const auto out = scratch / "out";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::vector<char*> words{const_cast<char*>("openssl")};
  for (auto& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  pid_t child = -1;
  const int started = posix_spawnp(&child, "openssl", &actions, nullptr, words.data(), environ);
  FEDVS_CHECK(started == 0, "the openssl program is installed (scripts/install-deps)");
  posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  FEDVS_CHECK(waitpid(child, &status, 0) == child, "it can be waited for");
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents_of(out)};
}

}  // namespace fedvs::deploy
