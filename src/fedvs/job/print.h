// A Job as text: complete TOML, a digest, and the reference page.
#pragma once
#include <string>

#include "fedvs/job/job.h"

namespace fedvs {

std::string print_job(
    const Job& job);                   // every key spelled out, with comments; parse_job inverts it
std::string digest(const Job& job);    // SHA-256 in hex of all keys and values, not of comments
std::string job_reference_markdown();  // docs/job.md

}  // namespace fedvs
