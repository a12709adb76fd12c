#include "fedvs/party/sealed_post.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/party/folders.h"
#include "tests/support/agreement_fixture.h"
#include "tests/support/wire_samples.h"

namespace fedvs::party::testing {
namespace {

using ::testing::HasSubstr;

wire::Sealed sealed_in(const std::string& envelope) {
  auto read = wire::decode_envelope({.parties = 7, .contents = 1 << 20}, envelope).value();
  return std::get<wire::Sealed>(std::move(read));
}

class SealedPostTest : public ::testing::Test {
 protected:
  SealedPostTest() {
    welcome_ = fedvs::testing::welcome(3);
    welcome_.cards.resize(3);
    for (int n = 0; n < 3; ++n) {
      posts_.push_back(SealedPost::between(folders_.client(n)).value());
      begin_life(n);
    }
    everybody_meets(welcome_);
  }
  // Of client n, under the incarnation that the welcome has.
  void begin_life(int client) {
    const auto n = static_cast<std::size_t>(client);
    welcome_.cards[n] = posts_[n].begin_life(welcome_.clients[n]);
  }
  void everybody_meets(const protocol::Welcome& welcome) {
    for (auto& post : posts_) post.meet(welcome);
  }
  // As if `client` had come back; 3: the server.
  void come_back(int client) {
    auto& life = client == 3 ? welcome_.server : welcome_.clients[static_cast<std::size_t>(client)];
    ++life.bytes[5];
    if (client != 3) begin_life(client);
    everybody_meets(welcome_);
  }
  protocol::Message model_of(int client) {
    auto share = samples_.model_share();
    share.from = client;
    share.values = protocol::share_of(samples_.matrix(
        field::panel_rows(agreement_.width), field::panel_cols(agreement_.padded_inputs(client))));
    return share;
  }
  protocol::Message request_of(int client) {
    return protocol::DataRequest{.from = client, .part = data::Part::kTrain, .first_row = 0};
  }
  wire::Sealed first_to_second() { return sealed_in(posts_[0].seal(1, model_of(0)).value()); }
  std::string reason(int reader, const wire::Sealed& sealed) {
    const auto opened = posts_[static_cast<std::size_t>(reader)].open(agreement_, sealed);
    return opened ? "it was opened" : opened.error().message;
  }

  Folders folders_{3};
  const protocol::Agreement agreement_ = fedvs::testing::wire_agreement("rns4");
  fedvs::testing::WireSamples samples_{agreement_, 5};
  protocol::Welcome welcome_;
  std::vector<SealedPost> posts_;
};

TEST_F(SealedPostTest, OpensForItsRecipientAndOnce) {
  const auto sealed = first_to_second();
  const auto opened = posts_[1].open(agreement_, sealed);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(std::get<protocol::ModelShare>(**opened).from, 0);
  EXPECT_THAT(reason(1, sealed), HasSubstr("again or too late"));
}

TEST_F(SealedPostTest, AnEarlierMessageAfterALaterOneOfItsKindIsRefused) {
  const auto first = first_to_second(), second = first_to_second();
  const auto other_kind = sealed_in(posts_[0].seal(1, request_of(0)).value());
  ASSERT_TRUE(posts_[1].open(agreement_, other_kind));
  ASSERT_TRUE(posts_[1].open(agreement_, second));
  EXPECT_THAT(reason(1, first), HasSubstr("again or too late"));
}

TEST_F(SealedPostTest, NoByteCanBeChanged) {
  const auto sealed = sealed_in(posts_[0].seal(1, request_of(0)).value());
  for (std::size_t i = 0; i < sealed.sealed.size(); ++i) {
    auto changed = sealed;
    changed.sealed[i] = static_cast<char>(changed.sealed[i] ^ 0x10);
    EXPECT_THAT(reason(1, changed), HasSubstr("does not open")) << i;
    changed.sealed = sealed.sealed.substr(0, i);
    EXPECT_THAT(reason(1, changed), HasSubstr(i < 40 ? "is cut off" : "does not open")) << i;
  }
  EXPECT_TRUE(posts_[1].open(agreement_, sealed));
}

TEST_F(SealedPostTest, NothingOnItsOutsideCanBeChanged) {
  const auto sealed = first_to_second();
  auto changed = sealed;
  ++changed.id;
  EXPECT_THAT(reason(1, changed), HasSubstr("does not open"));
  changed = sealed;
  ++changed.kind;
  EXPECT_THAT(reason(1, changed), HasSubstr("does not open"));
  changed = sealed;
  changed.from = 2;
  EXPECT_THAT(reason(1, changed), HasSubstr("does not open"));
  EXPECT_TRUE(posts_[1].open(agreement_, sealed)) << "what was refused leaves no trace";
}

TEST_F(SealedPostTest, AnotherRecipientCannotOpenIt) {
  auto sealed = first_to_second();
  EXPECT_THAT(reason(2, sealed), HasSubstr("not for this client"));
  sealed.to = 2;
  EXPECT_THAT(reason(2, sealed), HasSubstr("does not open"));
  sealed.to = 0;  // back to its sender
  sealed.from = 1;
  EXPECT_THAT(reason(0, sealed), HasSubstr("does not open"));
}

TEST_F(SealedPostTest, ClientsThatDoNotExistAreRefused) {
  auto sealed = first_to_second();
  for (const int from : {1, 3, 6}) {
    sealed.from = from;
    EXPECT_THAT(reason(1, sealed), HasSubstr("not for this client")) << from;
  }
}

TEST_F(SealedPostTest, WhatWasSealedBeforeSomebodyCameBackDoesNotOpen) {
  for (const int who : {0, 1, 3}) {
    const auto before = first_to_second();
    come_back(who);
    EXPECT_THAT(reason(1, before), HasSubstr("does not open")) << who;
    EXPECT_TRUE(posts_[1].open(agreement_, first_to_second())) << who;
  }
  const auto before = first_to_second();
  come_back(2);  // not of this pair
  EXPECT_TRUE(posts_[1].open(agreement_, before));
}

TEST_F(SealedPostTest, ARepeatedMessageDoesNotOpenAfterAnotherWelcomeEither) {
  const auto sealed = first_to_second();
  ASSERT_TRUE(posts_[1].open(agreement_, sealed));
  come_back(2);
  EXPECT_THAT(reason(1, sealed), HasSubstr("again or too late"));
}

TEST_F(SealedPostTest, AMessageOfANewLifeOpensOnceTheWelcomeNamesIt) {
  ++welcome_.clients[0].bytes[3];
  begin_life(0);
  posts_[0].meet(welcome_);
  const auto sealed = first_to_second();
  EXPECT_THAT(reason(1, sealed), HasSubstr("does not open"));
  posts_[1].meet(welcome_);
  EXPECT_TRUE(posts_[1].open(agreement_, sealed));
}

// A server that passes on a key of its own in a client's place, or one of a life before, gets
// nothing sealed with it, and nobody else is held up.
TEST_F(SealedPostTest, AKeyThatItsOwnerHasNotSignedIsNotUsed) {
  const auto before = welcome_;
  come_back(0);
  auto made_up = welcome_, of_before = welcome_, of_another = welcome_, none = welcome_;
  made_up.cards[0].key = seal::KeyPair::generate().public_key;
  of_before.cards[0] = before.cards[0];
  of_another.cards[0] = welcome_.cards[2];
  none.cards.clear();
  for (const auto& welcome : {made_up, of_before, of_another, none}) {
    posts_[1].meet(welcome);
    EXPECT_THAT(posts_[1].seal(0, request_of(1)).error().message,
                HasSubstr("nothing is sealed for client-1"));
    EXPECT_THAT(reason(1, first_to_second()), HasSubstr("no key of its life"));
    EXPECT_EQ(posts_[1].seal(2, request_of(1)).has_value(), !welcome.cards.empty());
  }
  posts_[1].meet(welcome_);
  EXPECT_TRUE(posts_[1].open(agreement_, first_to_second()));
}

TEST_F(SealedPostTest, ANewLifeSealsAndOpensNothingUntilItIsWelcomed) {
  const auto before = first_to_second();
  begin_life(1);
  EXPECT_THAT(reason(1, before), HasSubstr("before the welcome"));
  EXPECT_FALSE(posts_[1].seal(0, request_of(1)));
  everybody_meets(welcome_);  // with the same incarnation: the key is another all the same
  EXPECT_THAT(reason(1, before), HasSubstr("does not open"));
  EXPECT_TRUE(posts_[1].open(agreement_, first_to_second()));
}

TEST_F(SealedPostTest, NothingOpensBeforeTheWelcome) {
  auto fresh = SealedPost::between(folders_.client(1)).value();
  const auto opened = fresh.open(agreement_, first_to_second());
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("before the welcome"));
}

TEST_F(SealedPostTest, ASenderCannotSpeakForAnother) {
  const std::string inside = "its inside says something else";
  EXPECT_THAT(reason(1, sealed_in(posts_[0].seal(1, request_of(2)).value())), HasSubstr(inside));
  EXPECT_THAT(reason(1, sealed_in(posts_[0].seal(1, protocol::Regather{}).value())),
              HasSubstr(inside));
  EXPECT_THAT(reason(1, sealed_in(posts_[0].seal(1, samples_.welcome()).value())),
              HasSubstr(inside));
}

}  // namespace
}  // namespace fedvs::party::testing
