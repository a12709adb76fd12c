// Somebody has recorded all that passed the server and steals clients' folders afterwards: every
// key that lies in them, on both sides of a conversation.
#include <gtest/gtest.h>
#include <sodium.h>

#include <array>
#include <iostream>
#include <optional>

#include "fedvs/base/bytes.h"
#include "fedvs/party/sealed_post.h"
#include "tests/party/folders.h"
#include "tests/support/agreement_fixture.h"
#include "tests/support/wire_samples.h"

namespace fedvs::party::testing {
namespace {

constexpr int kMessages = 20;
using Point = std::array<std::uint8_t, 32>;

std::string text_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }
const std::uint8_t* bytes_of(const std::string& text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

Point dh(const seal::SecretKey& secret, const seal::PublicKey& key) {
  Point point;
  EXPECT_EQ(crypto_scalarmult(point.data(), secret.bytes().data(), key.data()), 0);
  return point;
}

Point hash(const std::string& text) {
  Point key;
  crypto_generichash(key.data(), key.size(), bytes_of(text), text.size(), nullptr, 0);
  return key;
}

std::string bound(const std::string& context, const seal::Binding& b) {
  ByteWriter out;
  out.raw(context + text_of(b.job));
  out.number(static_cast<std::int32_t>(b.from));
  out.number(static_cast<std::int32_t>(b.to));
  out.raw(text_of(b.from_life) + text_of(b.to_life) + text_of(b.server_life));
  out.number(b.kind);
  out.number(b.id);
  out.number(b.position);
  return out.take();
}

std::optional<std::string> decrypt(const Point& key, const std::string& about,
                                   const std::string& sealed) {
  std::string text(sealed.size() - seal::kOverheadBytes, '\0');
  const int status = crypto_aead_xchacha20poly1305_ietf_decrypt(
      reinterpret_cast<std::uint8_t*>(text.data()), nullptr, nullptr, bytes_of(sealed) + 24,
      sealed.size() - 24, bytes_of(about), about.size(), bytes_of(sealed), key.data());
  return status == 0 ? std::optional(text) : std::nullopt;
}

// ---- how it was: one key for ever, of the two static ones

Point key_of_before(const seal::SecretKey& own, const seal::PublicKey& a,
                    const seal::PublicKey& b) {
  const auto& peer =
      seal::KeyPair::of(seal::SecretKey::copy_of(own.bytes())).public_key == a ? b : a;
  return hash("fedvs seal v1" + text_of(dh(own, peer)) + text_of(std::min(a, b)) +
              text_of(std::max(a, b)));
}

std::string sealed_as_before(const Point& key, const seal::Binding& binding,
                             const std::string& text) {
  const std::string about = bound("fedvs seal v1", binding);
  std::string sealed(seal::kOverheadBytes + text.size(), '\0');
  auto* const out = reinterpret_cast<std::uint8_t*>(sealed.data());
  randombytes_buf(out, 24);
  crypto_aead_xchacha20poly1305_ietf_encrypt(out + 24, nullptr, bytes_of(text), text.size(),
                                             bytes_of(about), about.size(), nullptr, out,
                                             key.data());
  return sealed;
}

// ---- what passed the server, and what lay in the folders

class RecordedTraffic : public ::testing::Test {
 protected:
  struct Recorded {
    seal::Binding binding;
    std::string sealed;
  };
  RecordedTraffic() {
    welcome_.cards.resize(2);
    for (int n = 0; n < 2; ++n) {
      folders_of_.push_back(folders_.client(n));
      posts_.push_back(SealedPost::between(folders_of_.back()).value());
      const auto client = static_cast<std::size_t>(n);
      welcome_.cards[client] = posts_.back().begin_life(welcome_.clients[client]);
    }
    for (auto& post : posts_) post.meet(welcome_);
  }
  protocol::Message request(std::size_t row) const {
    return protocol::DataRequest{.from = 0, .part = data::Part::kTrain, .first_row = row};
  }
  seal::Binding binding_of(const wire::Sealed& s) const {
    return {.job = folders_of_[0].job_digest,
            .from = s.from,
            .to = s.to,
            .from_life = welcome_.clients[0].bytes,
            .to_life = welcome_.clients[1].bytes,
            .server_life = welcome_.server.bytes,
            .kind = s.kind,
            .id = s.id,
            .position = s.position};
  }
  wire::Sealed passed(const std::string& envelope) const {
    return std::get<wire::Sealed>(
        wire::decode_envelope({.parties = 2, .contents = 1 << 20}, envelope).value());
  }
  std::vector<Recorded> record() {
    std::vector<Recorded> recorded;
    for (std::size_t i = 0; i < kMessages; ++i) {
      const auto sealed = passed(posts_[0].seal(1, request(i)).value());
      recorded.push_back({binding_of(sealed), sealed.sealed});
    }
    return recorded;
  }
  std::vector<Recorded> record_as_before() {
    const auto& roster = folders_of_[0].roster.clients;
    const Point key = key_of_before(folders_of_[0].sealing.secret_key, roster[0].sealing_key,
                                    roster[1].sealing_key);
    std::vector<Recorded> recorded;
    for (auto& message : record()) {
      auto sealed = sealed_as_before(key, message.binding, wire_text());
      recorded.push_back({message.binding, std::move(sealed)});
    }
    return recorded;
  }
  std::string wire_text() const { return "shares of rows"; }

  // Every key that can be made of both folders and the recorded traffic.
  std::vector<std::pair<std::string, Point>> keys_of_thief() const {
    const auto &a = folders_of_[0].sealing, &b = folders_of_[1].sealing;
    const auto &life_a = welcome_.cards[0].key, &life_b = welcome_.cards[1].key;
    std::vector<std::pair<std::string, Point>> keys{
        {"fedvs seal v1", key_of_before(a.secret_key, a.public_key, b.public_key)}};
    const Point fixed = dh(a.secret_key, b.public_key);
    const Point a_and_life = dh(a.secret_key, life_b), b_and_life = dh(b.secret_key, life_a);
    // In the place of the one that is missing, of the two lives.
    for (const Point& guess :
         {Point{}, fixed, a_and_life, b_and_life, Point(life_a), Point(life_b)}) {
      const bool lower = a.public_key < b.public_key;
      const auto side = [&](bool first) {
        return text_of(first ? a.public_key : b.public_key) + text_of(first ? life_a : life_b) +
               text_of(welcome_.clients[first ? 0 : 1].bytes);
      };
      keys.emplace_back(
          "fedvs seal v2",
          hash("fedvs seal v2" + text_of(folders_of_[0].job_digest) + text_of(fixed) +
               text_of(guess) + text_of(lower ? a_and_life : b_and_life) +
               text_of(lower ? b_and_life : a_and_life) + side(lower) + side(!lower)));
    }
    return keys;
  }
  int opened_by_thief(const std::vector<Recorded>& recorded) const {
    int opened = 0;
    for (const auto& message : recorded) {
      for (const auto& [context, key] : keys_of_thief()) {
        if (decrypt(key, bound(context, message.binding), message.sealed)) ++opened;
      }
    }
    return opened;
  }

  Folders folders_{2};
  const protocol::Agreement agreement_ = fedvs::testing::wire_agreement("rns4");
  protocol::Welcome welcome_ = fedvs::testing::welcome(2);
  std::vector<deploy::ClientFolder> folders_of_;
  std::vector<SealedPost> posts_;
};

TEST_F(RecordedTraffic, DoesNotOpenWithBothClientsFolders) {
  const auto recorded = record();
  const int before = opened_by_thief(record_as_before()), now = opened_by_thief(recorded);
  std::cout << "opened of " << kMessages << " recorded messages: " << before
            << " sealed by static keys alone, " << now << " sealed by lives\n";
  EXPECT_EQ(before, kMessages) << "the attack works where lives have no keys";
  EXPECT_EQ(now, 0);
}

// The key of the lives is all that the thief lacks: with it, the attack's own arithmetic opens
// them.
TEST_F(RecordedTraffic, OpensOnlyWithAKeyThatNoFolderHolds) {
  const auto life_a = seal::KeyPair::generate(), life_b = seal::KeyPair::generate();
  welcome_.cards[0].key = life_a.public_key;
  welcome_.cards[1].key = life_b.public_key;
  const auto &a = folders_of_[0].sealing, &b = folders_of_[1].sealing;
  const seal::Binding binding =
      binding_of({.from = 0, .to = 1, .kind = 5, .id = 1, .position = 0, .sealed = {}});
  const auto sealer =
      seal::Sealer::between(binding.job, {a, life_a, welcome_.clients[0].bytes},
                            {b.public_key, life_b.public_key, welcome_.clients[1].bytes})
          .value();
  const std::vector<Recorded> one{{binding, sealer.seal(binding, wire_text())}};
  EXPECT_EQ(opened_by_thief(one), 0);
  const auto thief =
      seal::Sealer::between(binding.job, {b, life_b, welcome_.clients[1].bytes},
                            {a.public_key, life_a.public_key, welcome_.clients[0].bytes})
          .value();
  EXPECT_EQ(thief.open(binding, one[0].sealed).value().view(), wire_text());
}

// A server that plans ahead: it passes on a key of its own as that of client 2's life, keeps what
// is sealed for it, and steals client 2's folder later. Without the signature that works.
TEST_F(RecordedTraffic, ASwappedKeyGetsNothingSealed) {
  const auto of_server = seal::KeyPair::generate();
  auto swapped = welcome_;
  swapped.cards[1].key = of_server.public_key;
  const auto &a = folders_of_[0].sealing, &b = folders_of_[1].sealing;
  const seal::Binding binding =
      binding_of({.from = 0, .to = 1, .kind = 5, .id = 1, .position = 0, .sealed = {}});

  const auto life_a = seal::KeyPair::generate();
  const auto unchecked =
      seal::Sealer::between(binding.job, {a, life_a, welcome_.clients[0].bytes},
                            {b.public_key, of_server.public_key, welcome_.clients[1].bytes})
          .value();
  const std::string sealed = unchecked.seal(binding, wire_text());
  const auto with_stolen_folder =
      seal::Sealer::between(binding.job, {b, of_server, welcome_.clients[1].bytes},
                            {a.public_key, life_a.public_key, welcome_.clients[0].bytes})
          .value();
  EXPECT_TRUE(with_stolen_folder.open(binding, sealed)) << "the attack works without the signature";

  auto sender = SealedPost::between(folders_of_[0]).value();
  swapped.cards[0] = sender.begin_life(swapped.clients[0]);
  sender.meet(swapped);
  EXPECT_FALSE(sender.seal(1, request(0)));
  swapped.cards[1] = welcome_.cards[1];
  sender.meet(swapped);
  EXPECT_TRUE(sender.seal(1, request(0)));
}

}  // namespace
}  // namespace fedvs::party::testing
