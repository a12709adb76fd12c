// The seeds of a run's zero masks: who makes which, who may know which, and that all know the same.
//   set A of the family   has one seed, known to every client outside A and to nobody inside it
//   its maker             the lowest-numbered client outside A: draws the seed, sends it to the
//                         others outside
//   a maker's list        H("fedvs seed 1", run, A, seed) for every set A that it makes. The digest
//                         of the list is in its hello, in the welcome and so in d of every plan
// A seed counts if it is the one in the list of the welcome and if it came from a client outside A:
// a server with T clients inside A, whom this seed is to be hidden from, cannot put its own in its
// place. Whoever has lost seeds gets them again from any client that may know them.
// Departs: the lists are not signed by their makers. d of every plan has their digests, and heads
// of plans are signed by the server and compared by the clients.
// Reveals  nothing to the server or to members of A: a hash of 32 uniform bytes.
// Sends    every maker to every other client: 32 bytes per set that it makes and 36 per seed.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/prng.h"
#include "fedvs/coding/mask_family.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/messages.h"

namespace fedvs::protocol {

class SeedBook {
 public:
  // `run`: what names this run and no other. A job whose opening is "paper" has no seeds.
  SeedBook(const Agreement& agreement, int self, const Digest& run);
  ~SeedBook();  // wipes them
  SeedBook(const SeedBook&) = delete;
  SeedBook& operator=(const SeedBook&) = delete;

  // Draws the seeds of its own sets. Not where an earlier life of this client made them: restore().
  void make(SecretSource& secrets);
  Digest own_list() const { return digest_of_list(self_); }
  // The makers' lists, by client, as the welcome names them. Forgets what belongs to other lists.
  void expect(std::span<const Digest> lists);

  bool complete() const { return lacking_ == 0; }  // all seeds that this client may know
  bool holds_list(int maker) const;
  // kRefused, with the reason, unless all of it counts; then it is kept.
  Status take(const SeedShare& share);
  // What it holds of a maker's seeds and the recipient may know; needs holds_list(maker).
  SeedShare share(int maker, int recipient) const;
  bool makes_some(int maker) const;

  // By set, in the family's order; zero where it does not know them.
  std::span<const Key256> seeds() const { return seeds_; }
  // Changes whenever something was added: what must be on the disk before anything is answered.
  std::uint64_t changes() const { return changes_; }
  std::string save() const;                // as secret as the seeds
  Status restore(std::string_view bytes);  // kCorrupt; of another run: nothing is restored

 private:
  bool may_know(int client, std::size_t set) const;
  Digest commitment(std::size_t set, const Key256& seed) const;
  Digest digest_of_list(int maker) const;  // of a list that it holds
  void forget_list(int maker);
  Status check(const SeedShare& share) const;
  void count_lacking();

  const coding::MaskFamily* family_;  // null: none
  const int parties_, self_;
  const Digest run_;
  std::vector<Key256> seeds_;        // by set
  std::vector<bool> known_;          // by set
  std::vector<Digest> commitments_;  // by set
  std::vector<bool> listed_;         // by maker: its commitments are known
  std::vector<Digest> expected_;     // by maker; none before the first welcome
  std::size_t lacking_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace fedvs::protocol
