// Text from a peer that ends up in logs, on terminals and in JSON.
#pragma once
#include <string>
#include <string_view>

namespace fedvs::wire {

// The first `most` bytes, cut between characters. Control characters and bytes that are not UTF-8
// become '?', so that the result is valid UTF-8 and cannot move a terminal's cursor.
std::string printable(std::string_view bytes, std::size_t most);

}  // namespace fedvs::wire
