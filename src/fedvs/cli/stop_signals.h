// Ctrl-C and SIGTERM: the first asks to stop and save, a second one ends the program at once.
#pragma once

namespace fedvs::cli {

void catch_stop_signals();
bool stop_requested();

}  // namespace fedvs::cli
