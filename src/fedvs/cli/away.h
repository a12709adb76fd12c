// How many clients may be away, and for how long.
#pragma once
#include <string>

#include "fedvs/coding/shape.h"
#include "fedvs/job/job.h"

namespace fedvs::cli {

// N - R, and N - max(R, Q): a round opens with R uploads, but clients go on uploading only while Q
// of them have lately been heard of.
int away_for_moments(const coding::Shape& shape);
int away_for_long(const coding::Shape& shape);

// The same in words, with a warning where all clients form one group.
std::string away_text(const coding::Shape& shape);
// Of a networked job, whose K = "auto" is the largest with R <= N/2.
coding::Shape networked_shape(const Job& job, int clients);

}  // namespace fedvs::cli
