// A small run folder, written as `fedvs train` writes one.
#pragma once
#include <filesystem>

namespace fedvs::report {

// `rounds` rounds of `clients` clients, every fifth one evaluated; the upper half of the clients
// are stragglers whose models are reused. The folder must not exist.
void make_sample_run(const std::filesystem::path& folder, int clients, int rounds);

}  // namespace fedvs::report
