// A Job as text: complete TOML, a digest, and the reference page.
#pragma once
#include <string>

#include "fedvs/base/digest.h"
#include "fedvs/job/job.h"

namespace fedvs {

std::string print_job(
    const Job& job);                   // every key spelled out, with comments; parse_job inverts it
Digest job_digest(const Job& job);     // SHA-256 of all keys and values, not of comments
std::string digest(const Job& job);    // the same in hex
std::string job_reference_markdown();  // docs/job.md

}  // namespace fedvs
