#include "fedvs/base/prng.h"

#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "fedvs/base/check.h"
#include "fedvs/base/sift.h"
#include "fedvs/base/wipe.h"

namespace fedvs {
namespace {

constexpr std::size_t kFirstBytes = 512, kBufferBytes = 8192;
constexpr std::uint32_t kMersenne31 = 0x7fffffff;

template <class Word>
std::span<std::uint8_t> bytes_of(std::span<Word> words) {
  return {reinterpret_cast<std::uint8_t*>(words.data()), words.size_bytes()};
}

// Looked up once: thousands of streams start per second, and a look-up costs more than a stream.
const EVP_CIPHER* aes_256_ctr() {
  static const EVP_CIPHER* const kCipher = EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr);
  return kCipher;
}

}  // namespace

struct Prng::Stream {
  EVP_CIPHER_CTX* cipher = EVP_CIPHER_CTX_new();
  std::size_t used = 0, filled = 0, touched = 0;
  std::size_t next_size = kFirstBytes;  // doubles: short streams are cheap, long ones fast
  std::array<std::uint8_t, kBufferBytes> buffer;

  ~Stream() {
    EVP_CIPHER_CTX_free(cipher);  // zeroes the key schedule
    wipe(std::span(buffer).first(touched));
  }
  void generate(std::span<std::uint8_t> out) {
    int written = 0;
    std::memset(out.data(), 0, out.size());
    FEDVS_CHECK(EVP_EncryptUpdate(cipher, out.data(), &written, out.data(),
                                  static_cast<int>(out.size())) == 1,
                "AES-256-CTR failed");
  }
  std::span<const std::uint8_t> rest() {  // of the buffer; never empty
    if (used == filled) {
      generate(std::span(buffer).first(next_size));
      used = 0;
      filled = next_size;
      touched = std::max(touched, filled);
      next_size = std::min(2 * next_size, kBufferBytes);
    }
    return std::span(buffer).first(filled).subspan(used);
  }
};

Prng::Prng(const Key256& key) : stream_(std::make_unique<Stream>()) {
  const std::array<std::uint8_t, 16> zero_counter{};
  FEDVS_CHECK(EVP_EncryptInit_ex2(stream_->cipher, aes_256_ctr(), key.data(), zero_counter.data(),
                                  nullptr) == 1,
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
    if (stream_->used == stream_->filled && out.size() >= kBufferBytes) {
      stream_->generate(out.first(kBufferBytes));
      out = out.subspan(kBufferBytes);
      continue;
    }
    const auto rest = stream_->rest();
    const std::size_t take = std::min(out.size(), rest.size());
    std::memcpy(out.data(), rest.data(), take);
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
  const SiftBytes sift = available_sifts().back();
  Draws draws{nullptr, 0, out.data(), out.size()};
  while (draws.room > 0) {
    const auto rest = stream_->rest();
    draws.next = rest.data();
    draws.bytes = rest.size();
    sift(draws, bound);
    stream_->used += rest.size() - draws.bytes;
  }
  if (bound == prime) return;
  for (std::uint8_t& value : out) value = static_cast<std::uint8_t>(value % prime);
}

void Prng::fill_uniform(std::span<std::uint32_t> out, std::uint32_t prime) {
  FEDVS_CHECK(prime == kMersenne31, "the word plane has prime 2^31 - 1");
  const auto target = bytes_of(out);
  Draws draws{nullptr, 0, target.data(), target.size()};
  while (draws.room > 0) {
    const auto rest = stream_->rest();
    std::array<std::uint8_t, sizeof(std::uint32_t)> split;  // a word that goes over the end
    const bool whole = rest.size() >= split.size();
    if (!whole) fill(split);
    draws.next = whole ? rest.data() : split.data();
    draws.bytes = whole ? rest.size() : split.size();
    sift_words(draws);
    if (whole) stream_->used += rest.size() - draws.bytes;
  }
}

}  // namespace fedvs
