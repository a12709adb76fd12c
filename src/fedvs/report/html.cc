#include "fedvs/report/html.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>

#include "fedvs/base/files.h"
#include "fedvs/report/assets.h"
#include "fedvs/report/contract.h"

namespace fedvs::report {
namespace {

std::string replace_all(std::string_view text, std::string_view what, std::string_view by) {
  std::string made;
  for (std::size_t begin = 0;;) {
    const auto at = text.find(what, begin);
    made += text.substr(begin, at - begin);
    if (at == std::string_view::npos) return made;
    made += by;
    begin = at + what.size();
  }
}

std::string escaped_text(std::string_view text) {
  return replace_all(replace_all(text, "&", "&amp;"), "<", "&lt;");
}

// In JSON a < stands only inside strings, where it may as well be an escape; then nothing in a
// string can end the script element or open a comment in it.
std::string escaped_json(const Report& report) {
  return replace_all(to_json(report).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                     "<", "\\u003c");
}

std::string part_of(std::string_view name, const Report& report) {
  if (name == "title") return escaped_text(report.title);
  if (name == "style") return std::string(page_style());
  if (name == "report") return escaped_json(report);
  if (name == "script") return std::string(page_script());
  FEDVS_CHECK(false, "page.html names a part that there is not");
  return {};
}

}  // namespace

// In one pass, so that braces in what is filled in stay what they are.
std::string to_html(const Report& report) {
  std::string page;
  std::string_view rest = page_template();
  for (;;) {
    const auto open = rest.find("{{");
    page += rest.substr(0, open);
    if (open == std::string_view::npos) return page;
    const auto close = rest.find("}}", open);
    FEDVS_CHECK(close != std::string_view::npos, "page.html closes its braces");
    page += part_of(rest.substr(open + 2, close - open - 2), report);
    rest.remove_prefix(close + 2);
  }
}

Status write_html(const std::filesystem::path& path, const Report& report) {
  return write_atomically(path, std::string_view(to_html(report)));
}

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

}  // namespace fedvs::report
