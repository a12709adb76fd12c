// Which rows a party's file is about. Rows of different parties are the same when their ids are,
// as text; every party sorts by id (by bytes), so the order of lines does not matter.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/base/prng.h"

namespace fedvs::data {

// Columns with a meaning of their own, in features' and labels' files alike, and the same in all.
inline constexpr const char* kPartColumn = "part";        // train or test; where there is one
inline constexpr const char* kSubjectColumn = "subject";  // for data.split = "subject" only

// Must be the same at all parties of a job.
struct RowIds {
  std::string path;                         // where they were read; for messages
  std::vector<std::string> ids;             // sorted by bytes, all different
  std::vector<bool> test = {};              // of the column `part`; empty: there is none
  std::vector<std::int64_t> subjects = {};  // equal for rows of one subject; empty: not asked for
};

// Of ids, parts and subjects, but not the path. Parties whose digests are the same have the same
// rows and split them alike. With a key: HMAC-SHA-256, to show to those who hold no ids. Without:
// whoever sees it can try out lists of ids that it thinks likely.
Digest row_ids_digest(const Key256* key, const RowIds& rows);

}  // namespace fedvs::data
