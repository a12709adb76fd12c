#include "fedvs/net/transport/frame.h"

#include <algorithm>

namespace fedvs::transport {

std::string printable(std::string_view reason) {
  constexpr std::size_t kLongest = 1000;
  std::string text(reason.substr(0, kLongest));
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; };
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

}  // namespace fedvs::transport
