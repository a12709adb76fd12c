// What a data set's name, the preset and the method imply for the other keys.
#pragma once
#include <string_view>

#include "fedvs/job/job.h"

namespace fedvs {

// Overwrites model and train keys by job.data.name and job.preset; a set without a preset keeps
// what the job has.
void apply_preset(Job& job);
bool has_paper_preset(std::string_view data_name);
// fedvs-paper: unmasked opening in m31, waiting for every model.
void apply_method(Job& job);
// fedvs and fedvs-paper; the others are plaintext split learning.
bool is_coded(const Job& job);

}  // namespace fedvs
