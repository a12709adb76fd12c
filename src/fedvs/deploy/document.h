// The files that parties send each other: TOML that says what it is in its first key,
//   fedvs = "roster 1"
// and ends with a signature over all values in a fixed form (the text that the writer makes). What
// is verified is therefore what was understood: comments, line ends and order do not matter.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"

namespace fedvs::deploy {

class DocumentWriter {
 public:
  DocumentWriter(std::string_view comment, std::string_view kind);  // "roster"
  void text(std::string_view key, std::string_view value);  // over several lines if it has several
  void digest(std::string_view key, const Digest& value) { text(key, to_hex(value)); }
  void list(std::string_view key, const std::vector<std::string>& values);
  void flag(std::string_view key, bool value);
  void next(std::string_view array);  // begins another [[array]]
  const std::string& written() const { return text_; }

 private:
  std::string text_;
};
// "\n[signature]..." with the signature's bytes in hex; the last thing in a file.
std::string signature_block(std::string_view signature);

class Document {
 public:
  // kRefused, naming `where`, for text that is not TOML or says that it is something else.
  static Result<Document> parse(std::string_view text, std::string_view where,
                                std::string_view kind);

  // kRefused if the key is missing or of another type; messages name file and key.
  Result<std::string> text(std::string_view key) const;
  Result<Digest> digest(std::string_view key) const;
  Result<std::vector<std::string>> list(std::string_view key) const;
  Result<bool> flag(std::string_view key) const;
  std::vector<Document> array(std::string_view key) const;  // empty if there is none
  Result<std::string> signature() const;                    // its bytes
  const std::string& where() const { return where_; }
  Error bad(std::string_view key, std::string_view what) const;

 private:
  struct Table;
  Document(std::string where, std::shared_ptr<const Table> table);
  std::string where_;
  std::shared_ptr<const Table> table_;
};

// A file from somebody else: kBadFile if it cannot be read, kRefused above 16 MiB. Line ends of
// Windows, which mail programs put in, become plain ones.
Result<std::string> read_document(const std::filesystem::path& path);

}  // namespace fedvs::deploy
