// Where a family covers a T-subset often enough, the rows of its sets may still depend on each
// other (by chance one in `prime` times, or because they have clients in common): one more set
// helps, and as many such subsets as fit go into it.
#pragma once
#include "fedvs/coding/mask_family.h"

namespace fedvs::coding {

// Adds sets of the family's size until every T-subset is safe; false if that takes too many.
bool repair(const field::Ring& ring, const Shape& shape, MaskFamily& family);

}  // namespace fedvs::coding
