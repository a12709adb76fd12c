#include "fedvs/seal/sealer.h"

#include <gmock/gmock.h>
#include <sodium.h>

#include <functional>

#include "fedvs/base/bytes.h"
#include "tests/seal/hex.h"

namespace fedvs::seal {
namespace {

using testing::HasSubstr;
using testing::Not;

Life life(std::uint8_t first) {
  Life life{};
  life[0] = first;
  return life;
}

Binding some_binding() {
  Binding b;
  b.job[5] = 17;
  b.from = 2, b.to = 4;
  b.from_life = life(1), b.to_life = life(2), b.server_life = life(3);
  b.kind = 6, b.id = 70, b.position = 800;
  return b;
}

class SealedMessages : public testing::Test {
 protected:
  KeyPair alice_ = KeyPair::generate(), bob_ = KeyPair::generate();
  Sealer from_alice_ = Sealer::between(alice_, bob_.public_key).value();
  Sealer at_bob_ = Sealer::between(bob_, alice_.public_key).value();
  Binding binding_ = some_binding();
  std::string text_ = "shares of rows 1 to 512";
  std::string sealed_ = from_alice_.seal(binding_, text_);

  void expect_refused(const Binding& binding, std::string_view sealed) {
    const auto opened = at_bob_.open(binding, sealed);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kRefused);
  }
};

TEST_F(SealedMessages, OpenAtThePeerAndAreLongerByNonceAndTag) {
  EXPECT_EQ(at_bob_.open(binding_, sealed_).value(), text_);
  EXPECT_EQ(sealed_.size(), text_.size() + kOverheadBytes);
}

TEST_F(SealedMessages, MayBeEmptyOrLarge) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{3} << 20}) {
    const std::string text(size, 'x');
    EXPECT_EQ(at_bob_.open(binding_, from_alice_.seal(binding_, text)).value(), text);
  }
}

TEST_F(SealedMessages, ShowNothingOfTheTextAndNeverLookAlike) {
  const std::string text(64, 'A'), sealed = from_alice_.seal(binding_, text);
  EXPECT_THAT(sealed, Not(HasSubstr("AAA")));
  EXPECT_NE(sealed, from_alice_.seal(binding_, text));
}

TEST_F(SealedMessages, AnyChangedBitIsRefused) {
  for (std::size_t bit = 0; bit < 8 * sealed_.size(); ++bit) {
    std::string changed = sealed_;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    expect_refused(binding_, changed);
  }
}

TEST_F(SealedMessages, AnyOtherLengthIsRefused) {
  for (std::size_t size = 0; size < sealed_.size(); ++size) {
    expect_refused(binding_, sealed_.substr(0, size));
  }
  expect_refused(binding_, sealed_ + '\0');
  expect_refused(binding_, sealed_.substr(1));
}

TEST_F(SealedMessages, EveryFieldOfTheBindingIsBound) {
  const std::vector<std::function<void(Binding&)>> changes{
      [](Binding& b) { b.job[31] ^= 1; },
      [](Binding& b) { b.from += 1; },
      [](Binding& b) { b.to += 1; },
      [](Binding& b) { b.from_life[15] ^= 1; },
      [](Binding& b) { b.to_life[15] ^= 1; },
      [](Binding& b) { b.server_life[15] ^= 1; },
      [](Binding& b) { b.kind += 1; },
      [](Binding& b) { b.id += 1; },
      [](Binding& b) { b.position += 1; },
      [](Binding& b) { std::swap(b.from, b.to); },
      [](Binding& b) { std::swap(b.from_life, b.to_life); },
      [](Binding& b) { std::swap(b.id, b.position); },
  };
  for (const auto& change : changes) {
    Binding other = binding_;
    change(other);
    expect_refused(other, sealed_);
  }
}

TEST_F(SealedMessages, CannotBeTurnedBackToTheirSender) {
  Binding back = binding_;
  std::swap(back.from, back.to);
  std::swap(back.from_life, back.to_life);
  EXPECT_FALSE(from_alice_.open(back, sealed_));
  // The pair has one key: what the sender's own sealer opens is bound by direction alone.
  EXPECT_TRUE(from_alice_.open(binding_, sealed_));
}

TEST_F(SealedMessages, OpenWithNobodyElsesKey) {
  const KeyPair eve = KeyPair::generate();
  EXPECT_FALSE(Sealer::between(eve, alice_.public_key).value().open(binding_, sealed_));
  EXPECT_FALSE(Sealer::between(eve, bob_.public_key).value().open(binding_, sealed_));
}

TEST_F(SealedMessages, RefusalsSayWhichMessageAndNothingOfIt) {
  Binding other = binding_;
  other.id = 71;
  const std::string why = at_bob_.open(other, sealed_).error().message;
  EXPECT_THAT(why, HasSubstr("from client 3 to client 5 (kind 6, id 71, position 800)"));
  EXPECT_THAT(why, Not(HasSubstr("shares")));
}

TEST(Sealer, RefusesKeysOfLowOrderAndItsOwn) {
  const KeyPair own = KeyPair::generate();
  PublicKey one{};
  one[0] = 1;
  for (const PublicKey& bad : {PublicKey{}, one, own.public_key}) {
    const auto sealer = Sealer::between(own, bad);
    ASSERT_FALSE(sealer);
    EXPECT_EQ(sealer.error().code, ErrorCode::kRefused);
  }
}

// The format as sealer.h states it, put together from the library's primitives.
TEST(Sealer, FormatIsTheOneThatIsWrittenDown) {
  const auto alice = KeyPair::of(SecretKey::copy_of(
      key_from_hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")));
  const auto bob = key_from_hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
  // RFC 7748, section 6.1; Alice's public key (85...) is the lower one.
  const std::string hashed =
      "fedvs seal v1" +
      from_hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742") +
      from_hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a") +
      from_hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
  const auto bytes = [](const std::string& s) {
    return reinterpret_cast<const std::uint8_t*>(s.data());
  };
  std::array<std::uint8_t, 32> key;
  crypto_generichash(key.data(), key.size(), bytes(hashed), hashed.size(), nullptr, 0);

  const Binding b = some_binding();
  ByteWriter bound;
  bound.raw("fedvs seal v1");
  for (const auto byte : b.job) bound.number(byte);
  bound.number(std::int32_t{2});
  bound.number(std::int32_t{4});
  for (const auto& l : {b.from_life, b.to_life, b.server_life}) {
    for (const auto byte : l) bound.number(byte);
  }
  bound.number(std::uint32_t{6});
  bound.number(std::uint64_t{70});
  bound.number(std::uint64_t{800});

  const std::string sealed = Sealer::between(alice, bob).value().seal(b, "text");
  std::string opened(4, '\0');
  ASSERT_EQ(crypto_aead_xchacha20poly1305_ietf_decrypt(
                reinterpret_cast<std::uint8_t*>(opened.data()), nullptr, nullptr,
                bytes(sealed) + 24, sealed.size() - 24, bytes(bound.bytes()), bound.bytes().size(),
                bytes(sealed), key.data()),
            0);
  EXPECT_EQ(opened, "text");
}

TEST(XChaCha20Poly1305, GivesThePublishedAnswer) {
  // draft-irtf-cfrg-xchacha-03, appendix A.3.1.
  const std::string text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
      "sunscreen would be it.";
  const std::string key =
      from_hex("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
  const std::string nonce = from_hex("404142434445464748494a4b4c4d4e4f5051525354555657");
  const std::string bound = from_hex("50515253c0c1c2c3c4c5c6c7");
  const auto bytes = [](const std::string& s) {
    return reinterpret_cast<const std::uint8_t*>(s.data());
  };
  std::string sealed(text.size() + 16, '\0');
  crypto_aead_xchacha20poly1305_ietf_encrypt(reinterpret_cast<std::uint8_t*>(sealed.data()),
                                             nullptr, bytes(text), text.size(), bytes(bound),
                                             bound.size(), nullptr, bytes(nonce), bytes(key));
  EXPECT_EQ(sealed, from_hex("bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb"
                             "731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452"
                             "2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
                             "21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780a"
                             "cf49"));
}

}  // namespace
}  // namespace fedvs::seal
