// fedvs status: what a running server is doing, asked at its status endpoint.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "fedvs/base/files.h"
#include "fedvs/base/human.h"
#include "fedvs/cli/commands.h"
#include "fedvs/cli/stop_signals.h"
#include "fedvs/deploy/utc_time.h"
#include "fedvs/status/client.h"
#include "fedvs/status/server.h"
#include "fedvs/status/text.h"

namespace fedvs::cli {
namespace {

using status::FetchedStatus;
namespace fs = std::filesystem;

constexpr const char* kHomeAndClear = "\x1b[H\x1b[2J";

Error bad_place(std::string message) { return {ErrorCode::kBadFile, std::move(message)}; }

// "2026-11-16T09:30:00Z, 3 h 10 m ago"
std::string written_at(const fs::path& file) {
  struct stat facts {};
  if (::stat(file.c_str(), &facts) != 0) return "an unknown time";
  return fmt::format("{}, {} ago", deploy::utc_text(facts.st_mtime),
                     human_seconds(std::difftime(std::time(nullptr), facts.st_mtime)));
}

Result<deploy::Address> address_in(const fs::path& folder) {
  const fs::path file = status::status_address_file(folder);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    return bad_place(
        fmt::format("there is no folder {}; name the server's with --dir, or its "
                    "status address with --address",
                    folder.string()));
  }
  if (!fs::exists(file, ignored)) {
    return bad_place(
        fmt::format("no server runs in {}: there is no {}; start one with fedvs "
                    "server --dir {}",
                    folder.string(), file.string(), folder.string()));
  }
  FEDVS_TRY(std::string text, read_file(file));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  auto address = deploy::parse_address(text);
  if (address && address->port > 0) return address;
  return bad_place(
      fmt::format("{} does not hold an address such as 127.0.0.1:9090; a server that "
                  "starts writes it anew",
                  file.string()));
}

Result<FetchedStatus> ask_in(const fs::path& folder) {
  FEDVS_TRY(const auto address, address_in(folder));
  auto answer = status::fetch_status(address);
  if (answer) return answer;
  return Error{
      answer.error().code,
      fmt::format("{}. {} is from {}: that server has ended, or is busy starting; start it "
                  "again with fedvs server --dir {}",
                  answer.error().message, status::status_address_file(folder).string(),
                  written_at(status::status_address_file(folder)), folder.string())};
}

Result<FetchedStatus> ask(const StatusOptions& o) {
  if (o.address.empty()) return ask_in(o.dir);
  FEDVS_TRY(const auto address, deploy::parse_address(o.address));
  return status::fetch_status(address);
}

void show(const FetchedStatus& fetched, const StatusOptions& o) {
  const bool in_place = o.watch && !o.json && isatty(STDOUT_FILENO) != 0;
  const std::string text = o.json ? fetched.json + "\n" : status::status_table(fetched.status);
  std::cout << (in_place ? kHomeAndClear : "") << text << (o.watch && !o.json ? "\n" : "")
            << std::flush;
}

ExitStatus fail(const Error& error, const StatusOptions& o) {
  std::cerr << "fedvs status: " << error.message << "\n";
  if (o.json) std::cout << nlohmann::json{{"error", error.message}}.dump() << "\n";
  return exit_status(error);
}

void pause_a_second() {
  for (int i = 0; i < 20 && !stop_requested(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// A server that was there may come back, at another port: it is asked for until Ctrl-C. One that
// has taken its address away has ended in order.
ExitStatus watch(const StatusOptions& o, const FetchedStatus& first) {
  catch_stop_signals();
  show(first, o);
  bool done = first.status.phase.starts_with("done"), lost = false;
  while (!done) {
    pause_a_second();
    if (stop_requested()) break;
    const auto answer = ask(o);
    if (answer) show(*answer, o);
    if (!answer && !lost) std::cerr << "fedvs status: " << answer.error().message << "\n";
    lost = !answer;
    done = answer ? answer->status.phase.starts_with("done")
                  : o.address.empty() && !fs::exists(status::status_address_file(o.dir));
  }
  return kOk;
}

}  // namespace

ExitStatus status(const StatusOptions& options) {
  const auto answer = ask(options);
  if (!answer) return fail(answer.error(), options);
  if (options.watch) return watch(options, *answer);
  show(*answer, options);
  return kOk;
}

}  // namespace fedvs::cli
