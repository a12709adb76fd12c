#include "fedvs/deploy/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <system_error>

#include "fedvs/base/files.h"
#include "fedvs/deploy/hex.h"

namespace fedvs::deploy {
namespace {

constexpr std::uintmax_t kLargestFile = 16 << 20;
constexpr std::string_view kFormat = " 1";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string literal_of(std::string_view text) {
  const bool lines = text.find('\n') != std::string_view::npos;
  // TOML drops a line break right after the opening quotes.
  return fmt::format(fmt::runtime(lines ? "\"\"\"\n{}\"\"\"" : "\"{}\""), escaped(text));
}

Error refused(std::string message) { return {ErrorCode::kRefused, std::move(message)}; }

}  // namespace

DocumentWriter::DocumentWriter(std::string_view comment, std::string_view kind)
    : text_(fmt::format("# {}\nfedvs = \"{}{}\"\n", comment, kind, kFormat)) {}

void DocumentWriter::text(std::string_view key, std::string_view value) {
  text_ += fmt::format("{} = {}\n", key, literal_of(value));
}

void DocumentWriter::list(std::string_view key, const std::vector<std::string>& values) {
  std::vector<std::string> parts;
  for (const auto& value : values) parts.push_back(literal_of(value));
  text_ += fmt::format("{} = [{}]\n", key, fmt::join(parts, ", "));
}

void DocumentWriter::flag(std::string_view key, bool value) {
  text_ += fmt::format("{} = {}\n", key, value);
}

void DocumentWriter::next(std::string_view array) { text_ += fmt::format("\n[[{}]]\n", array); }

std::string signature_block(std::string_view signature) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(signature.data()), signature.size());
  return fmt::format("\n[signature]\nvalue = \"{}\"\n", to_hex(bytes));
}

struct Document::Table {
  toml::table table;
};

Document::Document(std::string where, std::shared_ptr<const Table> table)
    : where_(std::move(where)), table_(std::move(table)) {}

Result<Document> Document::parse(std::string_view text, std::string_view where,
                                 std::string_view kind) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return refused(fmt::format("{}:{}: not TOML: {}; ask for the file again", where,
                               error.source().begin.line, error.description()));
  }
  const std::string says = table["fedvs"].value_or(std::string("no file of FedVS"));
  if (says != fmt::format("{}{}", kind, kFormat)) {
    return refused(
        fmt::format("{}: this is {}, and {}{} is needed here", where, says, kind, kFormat));
  }
  return Document(std::string(where), std::make_shared<Table>(Table{std::move(table)}));
}

Error Document::bad(std::string_view key, std::string_view what) const {
  return refused(fmt::format("{}: {} {}; ask for the file again", where_, key, what));
}

Result<std::string> Document::text(std::string_view key) const {
  if (const auto value = table_->table[key].value_exact<std::string>()) return *value;
  return bad(key, "is missing or no text");
}

Result<Digest> Document::digest(std::string_view key) const {
  FEDVS_TRY(const std::string digits, text(key));
  if (const auto value = from_hex_32(digits)) return *value;
  return bad(key, "does not have 64 hex digits");
}

Result<std::vector<std::string>> Document::list(std::string_view key) const {
  const auto* array = table_->table[key].as_array();
  if (array == nullptr) return bad(key, "is missing or no list");
  std::vector<std::string> values;
  for (const auto& element : *array) {
    const auto value = element.value_exact<std::string>();
    if (!value) return bad(key, "is no list of texts");
    values.push_back(*value);
  }
  return values;
}

Result<bool> Document::flag(std::string_view key) const {
  if (const auto value = table_->table[key].value_exact<bool>()) return *value;
  return bad(key, "is missing or neither true nor false");
}

std::vector<Document> Document::array(std::string_view key) const {
  std::vector<Document> out;
  const auto* array = table_->table[key].as_array();
  if (array == nullptr) return out;
  for (const auto& element : *array) {
    const auto* inner = element.as_table();
    out.push_back(Document(fmt::format("{}: {} {}", where_, key, out.size() + 1),
                           std::make_shared<Table>(inner ? Table{*inner} : Table{})));
  }
  return out;
}

Result<std::string> Document::signature() const {
  const auto digits = table_->table["signature"]["value"].value_exact<std::string>();
  if (const auto bytes = digits ? from_hex(*digits) : std::nullopt) return *bytes;
  return bad("signature", "is missing or no hex digits");
}

Result<std::string> read_document(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  if (!ignored && size > kLargestFile) {
    return refused(
        fmt::format("{} has {} bytes, too many for a file of FedVS", path.string(), size));
  }
  FEDVS_TRY(std::string text, read_file(path));
  std::erase(text, '\r');
  return text;
}

}  // namespace fedvs::deploy
