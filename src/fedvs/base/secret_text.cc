#include "fedvs/base/secret_text.h"

#include "fedvs/base/wipe.h"

namespace fedvs {

void wipe_text(std::string& text) {
  text.resize(text.capacity());  // in place
  wipe(std::span(text.data(), text.size()));
  text.clear();
}

SecretText SecretText::take(std::string&& text) {
  SecretText taken;
  taken.text_ = std::move(text);
  wipe_text(text);
  return taken;
}

SecretText& SecretText::operator=(SecretText&& other) noexcept {
  if (this == &other) return *this;
  wipe_text(text_);
  text_ = std::move(other.text_);
  return *this;
}

}  // namespace fedvs
