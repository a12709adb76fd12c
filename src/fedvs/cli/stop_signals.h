// Ctrl-C and SIGTERM: the first asks to stop and save, a second one ends the program at once.
#pragma once

namespace fedvs::cli {

void catch_stop_signals();
bool stop_requested();

// Instead of the above, for a program that has others to end first: signals are only counted.
void count_stop_signals();
int stop_signals_counted();

}  // namespace fedvs::cli
