#include "fedvs/experiments/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "fedvs/base/descriptor.h"

namespace fedvs::experiments {
namespace {

constexpr int kCannotStart = 127;

Error failed(const std::filesystem::path& program, int reason) {
  return {ErrorCode::kBadFile, fmt::format("cannot start {}: {}", program.string(),
                                           std::generic_category().message(reason))};
}

// Between fork and exec: system calls only.
[[noreturn]] void become(const char* program, char** arguments, pid_t parent, int out, int err) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const bool orphan = getppid() != parent;  // it died before the line above
  if (orphan || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) _exit(kCannotStart);
  execv(program, arguments);
  _exit(kCannotStart);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

int open_to_append(const std::filesystem::path& file) {
  return open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

std::string contents(int file) {
  std::string text;
  char buffer[4096];
  for (off_t at = 0;;) {
    const auto got = pread(file, buffer, sizeof buffer, at);
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
    at += got;
  }
}

}  // namespace

Result<Child> Child::start(const std::filesystem::path& program,
                           const std::vector<std::string>& arguments) {
  const int out = memfd_create("stdout", MFD_CLOEXEC), err = memfd_create("stderr", MFD_CLOEXEC);
  if (out >= 0 && err >= 0) return start_with(program, arguments, out, err);
  const int reason = errno;
  close(out);
  close(err);
  return failed(program, reason);
}

Result<Child> Child::start(const std::filesystem::path& program,
                           const std::vector<std::string>& arguments, const WordFiles& files) {
  const int out = open_to_append(files.out);
  if (out < 0) return file_error("write", files.out, errno);
  const int err = open_to_append(files.err);
  if (err >= 0) return start_with(program, arguments, out, err);
  const int reason = errno;
  close(out);
  return file_error("write", files.err, reason);
}

// Takes over both files.
Result<Child> Child::start_with(const std::filesystem::path& program,
                                const std::vector<std::string>& arguments, int out, int err) {
  std::vector<char*> words{const_cast<char*>("fedvs")};
  for (const auto& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const pid_t parent = getpid(), process = fork();
  if (process == 0) become(program.c_str(), words.data(), parent, out, err);
  if (process > 0) return Child(process, out, err);
  const int reason = errno;
  close(out);
  close(err);
  return failed(program, reason);
}

Child::Child(Child&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      out_(other.out_),
      err_(other.err_),
      ended_(other.ended_),
      wait_status_(other.wait_status_),
      cpu_seconds_(other.cpu_seconds_) {}

Child::~Child() {
  if (process_ < 0) return;
  if (!ended()) {
    send(SIGKILL);
    reap(0);
  }
  close(out_);
  close(err_);
}

bool Child::reap(int options) {
  rusage used{};
  if (wait4(process_, &wait_status_, options, &used) != process_) return false;
  cpu_seconds_ = seconds(used.ru_utime) + seconds(used.ru_stime);
  return ended_ = true;
}

bool Child::ended() { return ended_ || reap(WNOHANG); }

void Child::send(int signal) {
  if (!ended()) kill(process_, signal);
}

int Child::exit_status() const {
  return WIFEXITED(wait_status_) ? WEXITSTATUS(wait_status_) : 128 + WTERMSIG(wait_status_);
}

std::string Child::out() const { return contents(out_); }
std::string Child::err() const { return contents(err_); }

}  // namespace fedvs::experiments
