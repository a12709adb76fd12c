// What a plan asks for, in one digest d. Two plans that would have a client upload different
// numbers have different ones: d covers the run, the rows and their sharings, the versions of all
// models, groups and exceptions, and the seeds that masks are drawn from. The mask of a plan
// follows from d (coding/seeded_mask.h), and the chain of plans is made of them (heads.h).
#pragma once
#include <vector>

#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

// Of one run: what every party knows beside the plan itself.
struct RunFacts {
  Digest run{};                     // what names this run and no other
  std::vector<SharingId> sharings;  // per client, as the last welcome names them
  std::vector<Digest> seeds;        // per client: its list of seeds, as the welcome names it
};
Digest content_of(const Step& step, const RunFacts& facts);  // d; the step has a plan

// What an upload carries of d, so that the server finds out who computed for another d before it
// decodes. Tells nothing of the mask: seeds are not in it.
Digest upload_tag(const Digest& content);

}  // namespace fedvs::protocol
