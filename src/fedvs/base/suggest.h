// "Did you mean ...?"
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fedvs {

// The candidate fewest edits (insert, delete, replace, swap neighbours) away from `word`; the first
// of equals. Empty if even that one is further than a third of the word, at least 2.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace fedvs
