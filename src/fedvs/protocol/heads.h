// The chain of a run's plans, as both sides compute it (docs/design/equivocation.md).
//   L_0 = H("fedvs heads 1", run)     L_c = H(L_{c-1}, c, d_c)     d_c: all of the c-th plan
// Indices are contiguous over all plans of a run, so that a fork shows at every later index.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fedvs/base/digest.h"
#include "fedvs/base/result.h"

namespace fedvs::protocol {

struct Step;
using Signature = std::array<std::uint8_t, 64>;  // Ed25519

struct SignedHead {
  std::uint64_t index = 0;
  Digest link{};
  Signature signature{};  // of index 0, which everybody computes, none
  bool operator==(const SignedHead&) const = default;
};

Digest first_link(const Digest& run);
Digest link_after(const Digest& link, std::uint64_t index, const Digest& content);  // of index
// What the server signs.
std::string signed_text(const Digest& run, std::uint64_t index, const Digest& link);

// What whoever misses the step is told of it, but for its head: all that d is of.
Step missed_form(const Step& step);

// Whether the server has signed that text: its key is in the roster.
using VerifyHead = std::function<bool(std::string_view text, const Signature& signature)>;
using SignHead = std::function<Signature(std::string_view text)>;

// Proof, for anybody who has the server's public key, that it signed two chains of one run: `other`
// is signed, and so is `own`, which follows by `contents` from another link than other's of the
// same index. Without contents the two are of one index.
struct Equivocation {
  Digest run{};
  SignedHead other;
  Digest own_link{};             // of other.index
  std::vector<Digest> contents;  // of the plans after it, up to own.index
  SignedHead own;
  int heard_from = 0;  // the client that told of the other one
};
// kRefused, with what is wrong, unless it proves that.
Status check(const Equivocation& proof, const VerifyHead& verify);

// All plans of a run, by index from 1 on: contents, links, and of the last ones the steps
// themselves, for whoever misses them. What is appended is on the disk, if there is one, before
// append() returns: it is about to be signed.
class HeadArchive {
 public:
  virtual ~HeadArchive() = default;
  struct Entry {
    Digest content{}, link{};
  };
  virtual Status append(const Entry& entry, const Step& step) = 0;  // its gradient is not kept
  virtual Result<Entry> read(std::uint64_t index) const = 0;  // kBadFile unless 1 <= index <= last
  // Without a head; kBadFile unless oldest_step <= index <= last.
  virtual Result<Step> step(std::uint64_t index) const = 0;
  virtual std::uint64_t oldest_step() const = 0;
  virtual std::uint64_t last() const = 0;  // 0: none yet
  // Takes back what comes after that index: plans that nobody was sent.
  virtual Status forget_after(std::uint64_t index) = 0;
};

}  // namespace fedvs::protocol
