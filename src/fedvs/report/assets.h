// The files of web/ that a page is made of, inside the program.
#pragma once
#include <string_view>

namespace fedvs::report {

std::string_view page_template();  // page.html, with {{title}} {{style}} {{report}} {{script}}
std::string_view page_style();
std::string_view page_script();  // dist/report.js
std::string_view palette_json();

}  // namespace fedvs::report
