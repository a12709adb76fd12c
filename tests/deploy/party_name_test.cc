#include "fedvs/deploy/party_name.h"

#include <gmock/gmock.h>

namespace fedvs::deploy {
namespace {

using testing::HasSubstr;

TEST(PartyName, TakesWhatCanNameAFolderAnywhere) {
  for (const auto& name : {std::string("hospital-a"), std::string("7"), std::string("Lab_2.de"),
                           std::string(64, 'x')}) {
    EXPECT_TRUE(check_name(name)) << name;
  }
}

TEST(PartyName, RefusesWhatCouldLeaveAFolderOrAColumn) {
  for (const auto& name :
       {std::string(), std::string("../a"), std::string("a/b"), std::string("a\\b"),
        std::string("."), std::string(".."), std::string(".hidden"), std::string("-f"),
        std::string("a b"), std::string("a\nb"), std::string("a\0b", 3), std::string("caf\xC3\xA9"),
        std::string("a,b"), std::string(65, 'x')}) {
    const Status status = check_name(name);
    ASSERT_FALSE(status) << name;
    EXPECT_EQ(status.error().code, ErrorCode::kBadJob);
    EXPECT_THAT(status.error().message, HasSubstr("as in hospital-a"));
  }
}

TEST(PartyName, RefusesTheServersOwnFolders) {
  for (const char* name : {"server", "Server", "invitations"}) {
    ASSERT_FALSE(check_name(name)) << name;
    EXPECT_THAT(check_name(name).error().message, HasSubstr("taken"));
  }
}

TEST(PartyName, NobodyIsNamedTwice) {
  EXPECT_TRUE(check_names({"a", "b", "ab"}));
  EXPECT_THAT(check_names({"a", "b", "a"}).error().message, HasSubstr("\"a\" and \"a\""));
  EXPECT_THAT(check_names({"Lab", "b", "lab"}).error().message, HasSubstr("but for case"));
  EXPECT_THAT(check_names({}).error().message, HasSubstr("--client"));
}

TEST(PartyName, NumberedNamesAreFit) {
  EXPECT_THAT(numbered_names(2), testing::ElementsAre("client-1", "client-2"));
  EXPECT_TRUE(check_names(numbered_names(120)));
}

}  // namespace
}  // namespace fedvs::deploy
