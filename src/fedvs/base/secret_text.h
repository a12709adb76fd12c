// Secret bytes that are zeroed when they go: serialised shares, keys, what was sealed.
#pragma once
#include <string>
#include <string_view>
#include <utility>

namespace fedvs {

// All of its memory, also what it does not use.
void wipe_text(std::string& text);

class SecretText {
 public:
  SecretText() = default;
  explicit SecretText(std::string_view text) : text_(text) {}  // a copy: wipe yours
  static SecretText take(std::string&& text);                  // no copy is left behind
  SecretText(SecretText&& other) noexcept : text_(std::move(other.text_)) {}
  SecretText& operator=(SecretText&& other) noexcept;
  ~SecretText() { wipe_text(text_); }  // where it has moved, what a short string leaves behind
  std::string_view view() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

}  // namespace fedvs
