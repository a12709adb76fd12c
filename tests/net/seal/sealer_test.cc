#include "fedvs/net/seal/sealer.h"

#include <gmock/gmock.h>
#include <sodium.h>

#include <functional>

#include "fedvs/base/bytes.h"
#include "tests/net/seal/hex.h"

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

struct Party {  // one life of it
  KeyPair fixed = KeyPair::generate(), of_life = KeyPair::generate();
  Life life_of{};
  OwnSide own() const { return {fixed, of_life, life_of}; }
  PeerSide seen() const { return {fixed.public_key, of_life.public_key, life_of}; }
};

class SealedMessages : public testing::Test {
 protected:
  Binding binding_ = some_binding();
  Party alice_{.life_of = binding_.from_life}, bob_{.life_of = binding_.to_life};
  Result<Sealer> between(const Party& own, const PeerSide& peer) const {
    return Sealer::between(binding_.job, own.own(), peer);
  }
  Sealer from_alice_ = between(alice_, bob_.seen()).value();
  Sealer at_bob_ = between(bob_, alice_.seen()).value();
  std::string text_ = "shares of rows 1 to 512";
  std::string sealed_ = from_alice_.seal(binding_, text_);

  void expect_refused(const Binding& binding, std::string_view sealed) {
    const auto opened = at_bob_.open(binding, sealed);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kRefused);
  }
};

TEST_F(SealedMessages, OpenAtThePeerAndAreLongerByNonceAndTag) {
  EXPECT_EQ(at_bob_.open(binding_, sealed_).value().view(), text_);
  EXPECT_EQ(sealed_.size(), text_.size() + kOverheadBytes);
}

TEST_F(SealedMessages, MayBeEmptyOrLarge) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{3} << 20}) {
    const std::string text(size, 'x');
    EXPECT_EQ(at_bob_.open(binding_, from_alice_.seal(binding_, text)).value().view(), text);
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
  const Party eve;
  EXPECT_FALSE(between(eve, alice_.seen()).value().open(binding_, sealed_));
  EXPECT_FALSE(between(eve, bob_.seen()).value().open(binding_, sealed_));
}

// Both must hold both: with the static key of a party and a key of its own for the life, or the
// other way round, an impostor makes another key.
TEST_F(SealedMessages, OpenForNobodyWhoLacksOneOfTheTwoKeys) {
  Party thief{.life_of = bob_.life_of};
  thief.fixed = KeyPair::of(SecretKey::copy_of(bob_.fixed.secret_key.bytes()));
  EXPECT_FALSE(between(thief, alice_.seen()).value().open(binding_, sealed_));
  Party spy{.life_of = bob_.life_of};
  spy.of_life = KeyPair::of(SecretKey::copy_of(bob_.of_life.secret_key.bytes()));
  EXPECT_FALSE(between(spy, alice_.seen()).value().open(binding_, sealed_));
}

TEST_F(SealedMessages, ASwappedKeyOfALifeOrAnotherLifeOpensNothing) {
  PeerSide swapped = alice_.seen();
  swapped.of_life = KeyPair::generate().public_key;
  EXPECT_FALSE(between(bob_, swapped).value().open(binding_, sealed_));
  PeerSide other = alice_.seen();
  other.life = life(9);
  EXPECT_FALSE(between(bob_, other).value().open(binding_, sealed_));
  EXPECT_FALSE(Sealer::between({}, bob_.own(), alice_.seen()).value().open(binding_, sealed_))
      << "another job";
}

TEST_F(SealedMessages, RefusalsSayWhichMessageAndNothingOfIt) {
  Binding other = binding_;
  other.id = 71;
  const std::string why = at_bob_.open(other, sealed_).error().message;
  EXPECT_THAT(why, HasSubstr("from client 3 to client 5 (kind 6, id 71, position 800)"));
  EXPECT_THAT(why, Not(HasSubstr("shares")));
}

TEST(Sealer, RefusesKeysOfLowOrderAndItsOwn) {
  const Party own, good;
  PublicKey one{};
  one[0] = 1;
  for (const PublicKey& bad : {PublicKey{}, one, own.fixed.public_key, own.of_life.public_key}) {
    const bool its_life = bad == own.of_life.public_key;
    if (!its_life) {
      EXPECT_EQ(check_peer(own.fixed, bad).error().code, ErrorCode::kRefused);
      const auto sealer = Sealer::between({}, own.own(), {bad, good.of_life.public_key, {}});
      ASSERT_FALSE(sealer);
      EXPECT_EQ(sealer.error().code, ErrorCode::kRefused);
    }
    if (bad == own.fixed.public_key) continue;
    EXPECT_FALSE(Sealer::between({}, own.own(), {good.fixed.public_key, bad, {}}));
  }
  EXPECT_TRUE(check_peer(own.fixed, good.fixed.public_key));
}

// The format as sealer.h states it, put together from the library's primitives.
class SealedFormat : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(WhicheverIsLower, SealedFormat, testing::Bool());

TEST_P(SealedFormat, IsTheOneThatIsWrittenDown) {
  const auto pair = [](const char* hex) {
    return KeyPair::of(SecretKey::copy_of(key_from_hex(hex)));
  };
  // RFC 7748, section 6.1; Alice's public key (85...) is lower than Bob's (de...).
  const Binding b = some_binding();
  const Party alice{pair("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"),
                    pair("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"),
                    b.from_life};
  const Party bob{pair("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"),
                  pair("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d"),
                  b.to_life};
  const auto text_of = [](const auto& key) { return std::string(key.begin(), key.end()); };
  const auto dh = [&](const KeyPair& own, const KeyPair& peer) {
    std::array<std::uint8_t, 32> point;
    EXPECT_EQ(
        crypto_scalarmult(point.data(), own.secret_key.bytes().data(), peer.public_key.data()), 0);
    return text_of(point);
  };
  EXPECT_EQ(dh(alice.fixed, bob.fixed),
            from_hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"));
  std::string hashed = "fedvs seal v2" + text_of(b.job) + dh(alice.fixed, bob.fixed) +
                       dh(alice.of_life, bob.of_life) + dh(alice.fixed, bob.of_life) +
                       dh(alice.of_life, bob.fixed);
  for (const auto* party : {&alice, &bob}) {
    hashed += text_of(party->fixed.public_key) + text_of(party->of_life.public_key) +
              text_of(party->life_of);
  }
  const auto bytes = [](const std::string& s) {
    return reinterpret_cast<const std::uint8_t*>(s.data());
  };
  std::array<std::uint8_t, 32> key;
  crypto_generichash(key.data(), key.size(), bytes(hashed), hashed.size(), nullptr, 0);

  ByteWriter bound;
  bound.raw("fedvs seal v2");
  for (const auto byte : b.job) bound.number(byte);
  bound.number(std::int32_t{2});
  bound.number(std::int32_t{4});
  for (const auto& l : {b.from_life, b.to_life, b.server_life}) {
    for (const auto byte : l) bound.number(byte);
  }
  bound.number(std::uint32_t{6});
  bound.number(std::uint64_t{70});
  bound.number(std::uint64_t{800});

  const bool from_lower = GetParam();
  const auto sealer = from_lower ? Sealer::between(b.job, alice.own(), bob.seen())
                                 : Sealer::between(b.job, bob.own(), alice.seen());
  const std::string sealed = sealer.value().seal(b, "text");
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
