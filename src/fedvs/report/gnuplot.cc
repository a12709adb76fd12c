#include "fedvs/report/gnuplot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "fedvs/base/files.h"
#include "fedvs/base/temporary_folder.h"

namespace fedvs::report {
namespace {

Error failed(std::string message) { return {ErrorCode::kBadFile, std::move(message)}; }

// Starts it with nothing to read, and its words in the file `errors`.
Result<pid_t> start(const std::filesystem::path& script, const std::filesystem::path& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT,
                                   0600);
  std::string program = "gnuplot", defaults_off = "-d", file = script.string();
  char* arguments[] = {program.data(), defaults_off.data(), file.data(), nullptr};
  pid_t process = 0;
  const int reason =
      ::posix_spawnp(&process, program.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (reason == ENOENT) {
    return failed("figures need gnuplot, which is not installed: apt-get install gnuplot-nox");
  }
  if (reason != 0) {
    return failed(fmt::format("cannot start gnuplot: {}", std::generic_category().message(reason)));
  }
  return process;
}

Status wait_for(pid_t process, const std::filesystem::path& errors) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return failed("lost sight of gnuplot");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const auto words = read_file(errors);
  return failed(fmt::format("gnuplot failed: {}", words ? *words : words.error().message));
}

}  // namespace

// Single quotes take everything literally but themselves and line ends.
std::string gnuplot_text(std::string_view text) {
  std::string made = "'";
  for (char c : text) {
    if (c == '\'') made += '\'';
    made += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return made + "'";
}

Result<std::string> draw_with_gnuplot(std::string_view script) {
  FEDVS_TRY(const auto folder, TemporaryFolder::create());
  const auto file = folder.path() / "figure.gp", errors = folder.path() / "errors";
  const auto figure = folder.path() / "figure";
  const std::string whole = fmt::format("figure = {}\n{}", gnuplot_text(figure.string()), script);
  FEDVS_TRY_STATUS(write_atomically(file, std::string_view(whole)));
  FEDVS_TRY(const pid_t process, start(file, errors));
  FEDVS_TRY_STATUS(wait_for(process, errors));
  return read_file(figure);
}

}  // namespace fedvs::report
