// Secret randomness: AES-256-CTR (OpenSSL) under a key that is wiped when the stream ends.
// A stream keyed by the operating system is the only kind a networked party can make; seeded keys
// are derived in sim/ and in tests.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace fedvs {

using Key256 = std::array<std::uint8_t, 32>;

class Prng {
 public:
  explicit Prng(const Key256& key);
  static Prng from_os();
  Prng(Prng&&) noexcept;
  Prng& operator=(Prng&&) noexcept;
  ~Prng();  // zeroes key and buffer

  void fill(std::span<std::uint8_t> out);
  std::uint64_t next_u64();
  double next_unit();  // uniform on [0, 1), 53 bits
  // Uniform on [0, prime), by rejection: a remainder would favour the small residues.
  void fill_uniform(std::span<std::uint8_t> out, std::uint32_t prime);   // prime <= 251
  void fill_uniform(std::span<std::uint32_t> out, std::uint32_t prime);  // prime = 2^31 - 1

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

// Where a party's secret randomness comes from, one stream per (purpose, party, round).
enum class Purpose : std::uint8_t {
  kInitialWeights,
  kDataMask,
  kModelMask,
  kZeroMask,
  kRounding,
  kIncarnation,
  kRowKey
};
// Of a party that may be started again from an old folder: the same in every life. Two roundings of
// one version, or one table masked twice, would tell more than one; a row key may be answered late.
constexpr bool same_in_every_life(Purpose purpose) {
  return purpose == Purpose::kRounding || purpose == Purpose::kDataMask ||
         purpose == Purpose::kInitialWeights || purpose == Purpose::kRowKey;
}
class SecretSource {
 public:
  virtual ~SecretSource() = default;
  virtual Prng stream(Purpose purpose, int party, std::uint64_t round) = 0;
  virtual bool reproducible() const = 0;  // true only for the simulator's seeded source
};

// Fresh operating-system keys, whatever the arguments.
class OsSecretSource final : public SecretSource {
 public:
  Prng stream(Purpose, int, std::uint64_t) override { return Prng::from_os(); }
  bool reproducible() const override { return false; }
};

}  // namespace fedvs
