#include "tests/cli/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "fedvs/base/check.h"
#include "tests/store/scratch_folder.h"

namespace fedvs::cli {
namespace {

constexpr int kCannotStart = 127;

void redirect(int to, const std::filesystem::path& file) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (opened < 0 || dup2(opened, to) < 0) _exit(kCannotStart);
}

[[noreturn]] void become_program(const std::string& program, const Arguments& arguments) {
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  _exit(kCannotStart);
}

}  // namespace

Program::Program(const std::filesystem::path& folder, const Arguments& arguments,
                 const Environment& environment, const std::string& program)
    : out_(folder.string() + ".stdout"), err_(folder.string() + ".stderr") {
  child_ = fork();
  FEDVS_CHECK(child_ >= 0, "a process can be made");
  if (child_ > 0) return;
  redirect(STDOUT_FILENO, out_);
  redirect(STDERR_FILENO, err_);
  if (chdir(folder.c_str()) != 0) _exit(kCannotStart);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  become_program(program, arguments);
}

Program::~Program() {
  if (!ended()) {
    send(SIGKILL);
    reap(0);
  }
  std::error_code ignored;
  std::filesystem::remove(out_, ignored);
  std::filesystem::remove(err_, ignored);
}

bool Program::reap(int options) {
  rusage used{};
  ended_ = wait4(child_, &wait_status_, options, &used) == child_;
  peak_memory_ = 1024.0 * static_cast<double>(used.ru_maxrss);
  return ended_;
}

bool Program::ended() { return ended_ || reap(WNOHANG); }

void Program::send(int signal) {
  if (!ended()) kill(child_, signal);
}

bool Program::wait_until(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    if (holds()) return true;
    if (ended()) return holds();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

Outcome Program::wait() {
  if (!wait_until([&] { return ended(); })) {
    send(SIGKILL);
    reap(0);
  }
  const int status =
      WIFEXITED(wait_status_) ? WEXITSTATUS(wait_status_) : 128 + WTERMSIG(wait_status_);
  return {status, contents_of(out_), contents_of(err_), peak_memory_};
}

}  // namespace fedvs::cli
