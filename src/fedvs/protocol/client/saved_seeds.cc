// The seeds of a run's masks over restarts: as secret in the file as in memory.
#include <algorithm>

#include "fedvs/base/secret_text.h"
#include "fedvs/protocol/client/seed_book.h"
#include "fedvs/protocol/saved.h"
#include "fedvs/v1/client_state.pb.h"

namespace fedvs::protocol {
namespace {

constexpr std::string_view kSeeds = "a note of seeds of masks";

struct WipedSeeds {
  v1::SavedSeeds message;
  ~WipedSeeds() { wipe_text(*message.mutable_seeds()); }
};

// Of `sets` arrays, one after the other.
template <std::size_t Size>
void append(std::string& to, const std::array<std::uint8_t, Size>& bytes) {
  to.append(reinterpret_cast<const char*>(bytes.data()), Size);
}
template <std::size_t Size>
Status read(std::string_view from, std::size_t set, std::array<std::uint8_t, Size>& bytes) {
  return copy_exactly(kSeeds, from.substr(std::min(from.size(), set * Size), Size), bytes);
}

}  // namespace

std::string SeedBook::save() const {
  WipedSeeds to;
  to.message.set_run(run_.data(), run_.size());
  for (const bool listed : listed_) to.message.add_listed(listed);
  to.message.mutable_seeds()->reserve(seeds_.size() * sizeof(Key256));  // then no copies are left
  for (std::size_t set = 0; set < seeds_.size(); ++set) {
    append(*to.message.mutable_commitments(), commitments_[set]);
    to.message.mutable_known()->push_back(known_[set] ? 1 : 0);
    append(*to.message.mutable_seeds(), known_[set] ? seeds_[set] : Key256{});
  }
  return packed(to.message);
}

Status SeedBook::restore(std::string_view bytes) {
  WipedSeeds from;
  FEDVS_TRY_STATUS(unpack(kSeeds, bytes, from.message));
  Digest run{};
  FEDVS_TRY_STATUS(copy_exactly(kSeeds, from.message.run(), run));
  if (run != run_) return {};
  const bool fits = from.message.listed_size() == parties_ &&
                    from.message.known().size() == seeds_.size() &&
                    from.message.commitments().size() == seeds_.size() * sizeof(Digest) &&
                    from.message.seeds().size() == seeds_.size() * sizeof(Key256);
  if (!fits) return corrupt(kSeeds, "is of another family of sets");
  std::copy(from.message.listed().begin(), from.message.listed().end(), listed_.begin());
  for (std::size_t set = 0; set < seeds_.size(); ++set) {
    FEDVS_TRY_STATUS(read(from.message.commitments(), set, commitments_[set]));
    known_[set] = from.message.known()[set] != 0;
    FEDVS_TRY_STATUS(read(from.message.seeds(), set, seeds_[set]));
  }
  count_lacking();
  return {};
}

}  // namespace fedvs::protocol
