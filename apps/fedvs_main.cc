// The program behind the launcher.
#include "fedvs/cli/cli.h"

int main(int argc, char** argv) { return fedvs::cli::run(argc, argv); }
