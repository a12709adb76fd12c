// The command line: flags in, exit status out.
#pragma once

namespace fedvs::cli {

int run(int argc, char** argv);

}  // namespace fedvs::cli
