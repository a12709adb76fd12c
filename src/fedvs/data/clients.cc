#include "fedvs/data/clients.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "fedvs/base/suggest.h"

namespace fedvs::data {

std::vector<std::string> split_list(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(separator, from), text.size());
    const std::string part = text.substr(from, to - from);
    const std::size_t first = part.find_first_not_of(" \t");
    parts.push_back(first == std::string::npos
                        ? ""
                        : part.substr(first, part.find_last_not_of(" \t") + 1 - first));
    from = to + 1;
  }
  return parts;
}

Error unknown_name(ErrorCode code, const std::string& what, const std::string& name,
                   const std::vector<std::string>& known) {
  constexpr std::size_t kListed = 12;
  std::string message = fmt::format("{} \"{}\" does not exist", what, name);
  const std::string near = nearest(name, known);
  message += near.empty() ? std::string(".") : fmt::format("; did you mean \"{}\"?", near);
  const std::vector<std::string> some(
      known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min(kListed, known.size())));
  message += fmt::format(" There are: {}{}", fmt::join(some, ", "),
                         known.size() > kListed ? fmt::format(" ... ({})", known.size()) : "");
  return {code, message};
}

Result<ClientColumns> deal_evenly(std::size_t columns, int clients) {
  if (clients < 1)
    return Error{ErrorCode::kBadJob,
                 fmt::format("data.clients = {}: there must be at least 1 client", clients)};
  const auto count = static_cast<std::size_t>(clients);
  if (count > columns)
    return Error{ErrorCode::kBadJob,
                 fmt::format("data.clients = {}, but there are only {} feature columns to deal; "
                             "set data.clients to {} or fewer",
                             clients, columns, columns)};
  ClientColumns dealt(count);
  std::size_t next = 0;
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t i = 0; i < columns / count + (n < columns % count ? 1 : 0); ++i)
      dealt[n].push_back(next++);
  return dealt;
}

Result<ClientColumns> parse_client_columns(const std::string& text,
                                           const std::vector<std::string>& sources) {
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < sources.size(); ++i) place.emplace(sources[i], i);
  std::vector<bool> taken(sources.size(), false);
  ClientColumns clients;
  for (const std::string& client : split_list(text, ';')) {
    std::vector<std::size_t>& columns = clients.emplace_back();
    for (const std::string& name : split_list(client, ',')) {
      if (name.empty())
        return Error{ErrorCode::kBadJob,
                     fmt::format("data.columns: client {} has an empty column name; write "
                                 "\"a,b;c,d\" for two clients of two columns",
                                 clients.size())};
      const auto found = place.find(name);
      if (found == place.end())
        return unknown_name(ErrorCode::kBadJob, "data.columns: column", name, sources);
      if (taken[found->second])
        return Error{ErrorCode::kBadJob,
                     fmt::format("data.columns: \"{}\" is named twice; a column belongs to one "
                                 "client",
                                 name)};
      taken[found->second] = true;
      columns.push_back(found->second);
    }
  }
  return clients;
}

}  // namespace fedvs::data
