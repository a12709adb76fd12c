// What writers that were killed in write_atomically (files.h) left beside the files they wrote.
#pragma once
#include <cstddef>
#include <filesystem>

namespace fedvs {

// Removes such files in `folder` and below, and tells how many there were; those of writers that
// live stay. For whoever owns the folder, at its start.
std::size_t remove_abandoned_files(const std::filesystem::path& folder);

}  // namespace fedvs
