// The looks of lines, as web/palette.json gives them to the page.
#pragma once
#include <string>
#include <vector>

namespace fedvs::report {

struct Look {
  std::string colour;     // "#0057b8", on white
  double width = 1;       // px
  std::vector<int> dash;  // on, off, ...; empty: solid
};

// One per name, in their order: a method's own look, else one that nothing else here has, as long
// as there are any.
std::vector<Look> looks_of(const std::vector<std::string>& names);

}  // namespace fedvs::report
