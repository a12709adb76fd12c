// One wrong id at a client's first try, as processes: its operator and the server's are told, the
// others wait, and the right file is all that it takes.
#include "tests/cli/parties_fixture.h"

namespace fedvs::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int kRefusedStatus = 5;
constexpr std::size_t kWrong = 2;

class WrongIds : public Parties {
 protected:
  void SetUp() override {
    make_parties("[train]\nepochs = 1\nbatch_size = 100\n");
    std::filesystem::create_directories(folder_ / "wrong");
    std::string file = text("parties/client-3.csv");
    const auto line = file.find('\n') + 1, end = file.find(',', line);
    file.insert(end, "-x");
    write("wrong/client-3.csv", file);
  }
  bool says(Program& server, const std::string& what) {
    return server.wait_until([&] { return said_by("server").find(what) != std::string::npos; });
  }
};

TEST_F(WrongIds, CostTheOthersNothingAndNeedNoCleaning) {
  const auto server = start("server", {"server", "--dir", path("deploy/server"), "--labels",
                                       path("parties/labels.csv"), "--wait", "300"});
  Programs clients;
  for (std::size_t n = 0; n < kClients; ++n) {
    clients.push_back(start_client(n, n == kWrong ? "wrong" : "parties"));
  }
  const Outcome wrong = clients[kWrong]->wait();
  EXPECT_EQ(wrong.status, kRefusedStatus) << wrong.err;
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("the server's file is of 1200 rows, this one of 1200"),
                               HasSubstr("Start again with the right file")));
  EXPECT_TRUE(says(*server, "client-3 holds 1200 rows, but not the ids of the label file"))
      << said_by("server");
  EXPECT_TRUE(says(*server, "waiting for client-3")) << said_by("server");
  const Outcome status = fedvs({"status", "--dir", path("deploy/server")});
  EXPECT_THAT(status.out, HasSubstr("client-3 holds 1200 rows, but not the ids"));

  clients[kWrong] = start_client(kWrong);
  const Outcome ended = server->wait();
  EXPECT_EQ(ended.status, 0) << ended.err;
  for (const auto& client : clients) {
    const Outcome left = client->wait();
    EXPECT_EQ(left.status, 0) << left.err;
  }
}

}  // namespace
}  // namespace fedvs::cli
