#include "fedvs/cli/up_parties.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>

#include "fedvs/cli/commands.h"

namespace fedvs::cli {
namespace {

constexpr const char* kThisProgram = "/proc/self/exe";
constexpr int kSignalled = 128;

Result<Party> start_party(const UpFolder& folder, const std::string& name,
                          std::vector<std::string> arguments) {
  auto log = folder.log_file(name);
  FEDVS_TRY(experiments::Child child,
            experiments::Child::start(kThisProgram, arguments, {log, log}));
  return Party{name, std::move(arguments), std::move(log), std::move(child)};
}

}  // namespace

Result<Parties> Parties::start(const UpFolder& folder) {
  Parties parties;
  FEDVS_TRY(auto server, start_party(folder, "server", folder.server_arguments()));
  parties.all_.push_back(std::move(server));
  for (std::size_t n = 0; n < folder.clients().size(); ++n) {
    FEDVS_TRY(auto client, start_party(folder, folder.clients()[n], folder.client_arguments(n)));
    parties.all_.push_back(std::move(client));
  }
  return parties;
}

bool Parties::all_ended() {
  return std::ranges::all_of(all_, [](Party& party) { return party.process.ended(); });
}

void Parties::send_all(int signal) {
  for (auto& party : all_) party.process.send(signal);
}

std::string how_it_ended(int status) {
  if (status > kSignalled) {
    return fmt::format("killed by signal {} ({})", status - kSignalled,
                       ::strsignal(status - kSignalled));
  }
  switch (status) {
    case kOk:
      return "done";
    case kStoppedAndSaved:
      return "stopped and saved";
    case kBelowThreshold:
      return "gave up: too few others, or waited too long (status 4)";
    case kRefusedExit:
      return "refused (status 5)";
    default:
      return fmt::format("failed (status {})", status);
  }
}

bool failed(int status) { return status != kOk && status != kStoppedAndSaved; }

}  // namespace fedvs::cli
