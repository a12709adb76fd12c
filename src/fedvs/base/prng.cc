#include "fedvs/base/prng.h"

#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "fedvs/base/check.h"
#include "fedvs/base/wipe.h"

namespace fedvs {
namespace {

constexpr std::size_t kBufferBytes = 4096;
constexpr std::uint32_t kMersenne31 = 0x7fffffff;

template <class Word>
std::span<std::uint8_t> bytes_of(std::span<Word> words) {
  return {reinterpret_cast<std::uint8_t*>(words.data()), words.size_bytes()};
}

// Fills `out` with draws and keeps those that `accepts`, until none is missing. Branch-free inside;
// in pieces, so that a piece is still in the cache when it is sifted.
template <class Word, class Accepts>
void sift(Prng& prng, std::span<Word> out, Accepts accepts) {
  while (!out.empty()) {
    const auto piece = out.first(std::min(out.size(), kBufferBytes / sizeof(Word)));
    prng.fill(bytes_of(piece));
    std::size_t kept = 0;
    for (Word& draw : piece) kept += accepts(draw, piece[kept]) ? 1u : 0u;
    out = out.subspan(kept);
  }
}

}  // namespace

struct Prng::Stream {
  EVP_CIPHER_CTX* cipher = EVP_CIPHER_CTX_new();
  std::array<std::uint8_t, kBufferBytes> buffer;
  std::size_t used = kBufferBytes;

  ~Stream() {
    EVP_CIPHER_CTX_free(cipher);  // zeroes the key schedule
    wipe(std::span(buffer));
  }
  void refill() {
    int written = 0;
    buffer.fill(0);
    FEDVS_CHECK(EVP_EncryptUpdate(cipher, buffer.data(), &written, buffer.data(),
                                  static_cast<int>(buffer.size())) == 1,
                "AES-256-CTR failed");
    used = 0;
  }
};

Prng::Prng(const Key256& key) : stream_(std::make_unique<Stream>()) {
  const std::array<std::uint8_t, 16> zero_counter{};
  FEDVS_CHECK(EVP_EncryptInit_ex(stream_->cipher, EVP_aes_256_ctr(), nullptr, key.data(),
                                 zero_counter.data()) == 1,
              "no AES-256-CTR");
}

Prng Prng::from_os() {
  Key256 key;
  FEDVS_CHECK(::getentropy(key.data(), key.size()) == 0, "the system gave no randomness");
  Prng prng(key);
  wipe(std::span(key));
  return prng;
}

Prng::Prng(Prng&&) noexcept = default;
Prng& Prng::operator=(Prng&&) noexcept = default;
Prng::~Prng() = default;

void Prng::fill(std::span<std::uint8_t> out) {
  while (!out.empty()) {
    if (stream_->used == kBufferBytes) stream_->refill();
    const std::size_t take = std::min(out.size(), kBufferBytes - stream_->used);
    std::memcpy(out.data(), stream_->buffer.data() + stream_->used, take);
    stream_->used += take;
    out = out.subspan(take);
  }
}

std::uint64_t Prng::next_u64() {
  std::uint64_t value;
  fill(bytes_of(std::span(&value, 1)));
  return value;
}

double Prng::next_unit() { return static_cast<double>(next_u64() >> 11) * 0x1p-53; }

void Prng::fill_uniform(std::span<std::uint8_t> out, std::uint32_t prime) {
  FEDVS_CHECK(prime >= 2 && prime <= 251, "byte planes have primes up to 251");
  const std::uint32_t bound = 256 / prime * prime;  // prime itself above 128
  sift(*this, out, [bound](std::uint8_t draw, std::uint8_t& kept) {
    kept = draw;
    return draw < bound;
  });
  if (bound == prime) return;
  for (std::uint8_t& value : out) value = static_cast<std::uint8_t>(value % prime);
}

void Prng::fill_uniform(std::span<std::uint32_t> out, std::uint32_t prime) {
  FEDVS_CHECK(prime == kMersenne31, "the word plane has prime 2^31 - 1");
  sift(*this, out, [](std::uint32_t draw, std::uint32_t& kept) {
    kept = draw & kMersenne31;
    return kept != kMersenne31;
  });
}

}  // namespace fedvs
