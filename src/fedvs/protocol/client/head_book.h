// A client's chain of plans, and what the others say of theirs: whether enough agree for an upload,
// and whether the server has signed two chains. docs/design/equivocation.md
#pragma once
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fedvs/base/bytes.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/heads.h"

namespace fedvs::protocol {

class HeadBook {
 public:
  // `run`: what all parties know of this run and of no other.
  HeadBook(const Agreement& agreement, int self, const Digest& run, VerifyHead verify);

  // ---- its own chain
  const SignedHead& head() const { return head_; }
  const Digest& run() const { return run_; }
  // kRefused unless the plan with this content extends the chain and is signed as that.
  Status check_next(const SignedHead& next, const Digest& content) const;
  void take_next(const SignedHead& next, const Digest& content);  // one that was checked
  // From its notes.
  void recall(const SignedHead& head, const Digest& content);
  std::string save() const;
  Status restore(ByteReader& in);  // kCorrupt

  // ---- what others say
  // `counts`: the sender says it of its own chain, and does not only pass on what it heard.
  void hear(int from, const SignedHead& said, bool counts);
  // Clients, itself included, whose chain is its own up to lately: up to the last plan (prevent),
  // or one not more than max_age plans before it.
  int agreeing() const;
  bool enough_agree() const { return !waits_ || agreeing() >= agreement_.shape.quorum(); }
  bool waits() const { return waits_; }  // for a quorum, before it uploads
  const std::optional<Equivocation>& proof() const { return proof_; }
  // Who told of a plan that the server has not signed, since it was last asked.
  std::vector<int> take_liars() { return std::exchange(liars_, {}); }

  // ---- what it says to others
  enum class Say { kNothing, kTell, kAsk };  // kAsk: tell, and be told
  // After a plan was taken; `shares`: a model share, which tells it too, goes out with the plan.
  Say after_plan(bool shares);
  // To all, in an echo or, less promptly, with a share.
  void told_all(bool promptly);
  // It was asked by a client whose head is of that index; false: it has told that client already.
  bool must_answer(int from, std::uint64_t index);
  void lives_anew(int client) { told_[static_cast<std::size_t>(client)].reset(); }

 private:
  struct Entry {
    Digest link{}, content{};
    std::optional<Signature> signature;
  };
  void add(std::uint64_t index, Entry entry);
  void settle();  // what was said of indices that the chain has reached
  void compare(int from, const SignedHead& said, bool counts);
  void distrust(int from);
  std::optional<Equivocation> proof_of(int from, const SignedHead& said) const;

  const Agreement& agreement_;
  const int self_;
  const Digest run_;
  const VerifyHead verify_;
  const bool waits_;
  SignedHead head_;
  std::map<std::uint64_t, Entry> recent_;  // the last of its chain, by index
  struct Said {
    SignedHead head;
    bool counts;
  };
  std::vector<std::map<std::uint64_t, Said>> ahead_;  // by client: of plans that it has not taken
  std::vector<std::optional<std::uint64_t>> agreed_;  // by client: the newest index
  std::vector<int> wrong_;                            // by client: heads that nobody has signed
  std::vector<std::optional<std::uint64_t>> told_;  // by client: the head that it was told promptly
  std::optional<std::uint64_t> told_all_;           // with shares or promptly
  bool asked_ = false;  // by somebody who was ahead, since the last plan
  std::vector<int> liars_;
  std::optional<Equivocation> proof_;
};

}  // namespace fedvs::protocol
