#include "fedvs/deploy/confirmation.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>

#include "fedvs/base/files.h"
#include "fedvs/deploy/folder_names.h"
#include "fedvs/deploy/hex.h"

namespace fedvs::deploy {
namespace {

namespace fs = std::filesystem;

std::optional<Digest> read_out(std::string_view said) {
  std::string digits;
  for (const char c : said) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isspace(byte) != 0 || c == ':' || c == '-') continue;
    digits += static_cast<char>(std::tolower(byte));
  }
  return from_hex_32(digits);
}

Result<std::optional<Digest>> confirmed_in(const fs::path& folder) {
  const fs::path file = folder / files::kConfirmed;
  std::error_code failed;
  if (!fs::exists(file, failed)) return std::optional<Digest>();
  FEDVS_TRY(const std::string text, read_file(file));
  const auto digest = read_out(text);
  if (digest) return digest;
  return Error{
      ErrorCode::kBadFile,
      fmt::format("{} is damaged: remove it, and give --fingerprint again", file.string())};
}

Status note(const fs::path& folder, const Digest& print) {
  return write_atomically(folder / files::kConfirmed, grouped(print) + "\n", Readers::kOwner);
}

Status not_confirmed(const fs::path& folder, const Digest& print, bool another) {
  return Error{
      another ? ErrorCode::kRefused : ErrorCode::kBadJob,
      fmt::format("{} in {} has the fingerprint\n  {}\nCompare it with the other clients on the "
                  "phone, at numbers that you knew before. If it is the same for all, start with "
                  "--fingerprint and what you heard, in quotes; it is asked for once",
                  another ? "another roster than the one that was confirmed" : "the roster",
                  folder.string(), grouped(print))};
}

// The same but for the certificates, and these of the same keys.
bool only_renewed(const Roster& before, Roster after) {
  if (before.clients.size() != after.clients.size()) return false;
  for (std::size_t n = 0; n < before.clients.size(); ++n) {
    const auto& known = before.clients[n].certificate;
    if (known.public_key() != after.clients[n].certificate.public_key()) return false;
    after.clients[n].certificate = known;
  }
  return fingerprint(before) == fingerprint(after);
}

}  // namespace

Status check_fingerprint(const Roster& roster, std::string_view said) {
  const Digest print = fingerprint(roster);
  const auto heard = read_out(said);
  if (!heard) {
    return Error{
        ErrorCode::kBadJob,
        fmt::format("{:?} is no fingerprint: it has sixteen groups of four hex digits", said)};
  }
  if (*heard == print) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("the roster has the fingerprint\n  {}\nand not\n  {}\nSomebody holds "
                           "another roster, and may be reading along: do not start. Find out with "
                           "the other clients whose it is",
                           grouped(print), grouped(*heard))};
}

Status confirm_roster(const fs::path& folder, const Roster& roster, std::string_view said) {
  const Digest print = fingerprint(roster);
  FEDVS_TRY(const auto confirmed, confirmed_in(folder));
  if (said.empty()) {
    if (confirmed == print) return {};
    return not_confirmed(folder, print, confirmed.has_value());
  }
  FEDVS_TRY_STATUS(check_fingerprint(roster, said));
  return confirmed == print ? Status{} : note(folder, print);
}

Status carry_confirmation(const fs::path& folder, const Roster& before, const Roster& after) {
  FEDVS_TRY(const auto confirmed, confirmed_in(folder));
  if (confirmed != fingerprint(before) || !only_renewed(before, after)) return {};
  return note(folder, fingerprint(after));
}

}  // namespace fedvs::deploy
