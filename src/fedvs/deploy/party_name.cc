#include "fedvs/deploy/party_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace fedvs::deploy {
namespace {

constexpr std::size_t kLongest = 64;  // of a certificate's common name
constexpr std::array<std::string_view, 2> kReserved{"server", "invitations"};

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_well_formed(std::string_view name) {
  return !name.empty() && name.size() <= kLongest && is_letter_or_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

std::string lower(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

}  // namespace

Status check_name(std::string_view name) {
  if (!is_well_formed(name)) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("client name {:?}: use 1 to {} letters, digits, '.', '_' or '-', "
                             "beginning with a letter or digit, as in hospital-a",
                             name, kLongest)};
  }
  if (std::ranges::find(kReserved, lower(name)) != kReserved.end()) {
    return Error{ErrorCode::kBadJob,
                 fmt::format("client name \"{}\" is taken by a folder of the server's; choose "
                             "another",
                             name)};
  }
  return {};
}

Status check_names(const std::vector<std::string>& names) {
  if (names.empty()) {
    return Error{ErrorCode::kBadJob, "no clients are named: add --client NAME for each of them"};
  }
  std::map<std::string, std::string> seen;
  for (const auto& name : names) {
    FEDVS_TRY_STATUS(check_name(name));
    const auto [place, first] = seen.try_emplace(lower(name), name);
    if (first) continue;
    return Error{ErrorCode::kBadJob,
                 fmt::format("client names \"{}\" and \"{}\" are the same but for case: give every "
                             "client a name of its own",
                             place->second, name)};
  }
  return {};
}

std::vector<std::string> numbered_names(int clients) {
  std::vector<std::string> names;
  for (int n = 1; n <= clients; ++n) names.push_back(fmt::format("client-{}", n));
  return names;
}

}  // namespace fedvs::deploy
