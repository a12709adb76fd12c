// A server that shows one client another plan than the others, and signs both, as processes: the
// clients find out, stop for good, and leave evidence that the program verifies. The cheat is a man
// in the middle who holds the server's keys; server and clients are the real program.
#include <ctime>

#include "fedvs/deploy/client_folder.h"
#include "fedvs/deploy/server_folder.h"
#include "fedvs/net/wire/codec.h"
#include "fedvs/party/evidence.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/plan_content.h"
#include "tests/cli/parties_fixture.h"
#include "tests/party/middle.h"

namespace fedvs::cli {
namespace {

using party::testing::envelope_in;
using party::testing::Frames;
using party::testing::Middle;
using party::testing::with;
using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr int kRefusedStatus = 5, kColluding = 1;
constexpr std::size_t kShownAnother = 5;  // client-6
constexpr std::uint64_t kRound = 3;       // in warm-up, when everybody shares in every round

// What the server says to one client; the plan of one round with two rows exchanged, signed anew.
class OtherPlan {
 public:
  explicit OtherPlan(deploy::ServerFolder server) : server_(std::move(server)) {}

  Frames operator()(const v1::Frame& frame) {
    auto envelope = envelope_in(frame, static_cast<int>(server_.roster.clients.size()));
    if (!envelope) return {frame};
    if (const auto* terms = std::get_if<wire::Terms>(&*envelope)) note(*terms);
    auto* open = std::get_if<wire::OpenMessage>(&*envelope);
    if (open == nullptr || !agreement_) return {frame};
    const auto message = wire::decode(*agreement_, open->bytes).value();
    if (const auto* welcome = std::get_if<protocol::Welcome>(message.get())) {
      sharings_ = welcome->sharings;
      seeds_ = welcome->seeds;
    }
    const auto* step = std::get_if<protocol::Step>(message.get());
    if (step == nullptr || !step->plan) return {frame};
    const auto before = std::exchange(link_, step->head->link);
    if (step->plan->round != kRound || !step->plan->training()) return {frame};
    open->bytes = wire::encode(protocol::Message(other(*step, before)));
    return {with(frame, *envelope)};
  }

 private:
  void note(const wire::Terms& terms) {
    const std::vector<int> features(terms.features.begin(), terms.features.end());
    const std::size_t rows[] = {terms.rows[0], terms.rows[1], terms.rows[2]};
    agreement_ =
        protocol::agree(server_.job, features, rows, static_cast<int>(terms.classes)).value();
    run_ = party::run_digest(server_.job_digest, server_.signing.public_key, terms);
    link_ = protocol::first_link(run_);
  }
  protocol::Step other(protocol::Step step, const Digest& before) const {
    auto plan = std::make_shared<protocol::Plan>(*step.plan);
    std::swap(plan->rows.front(), plan->rows.back());
    step.plan = plan;
    auto& head = *step.head;
    head.link = protocol::link_after(before, head.index,
                                     protocol::content_of(step, {run_, sharings_, seeds_}));
    head.signature = server_.signing.sign(protocol::signed_text(run_, head.index, head.link));
    return step;
  }

  deploy::ServerFolder server_;
  std::optional<protocol::Agreement> agreement_;
  std::vector<protocol::SharingId> sharings_;
  std::vector<Digest> seeds_;
  Digest run_{}, link_{};
};

class CheatingServer : public Parties {
 protected:
  void SetUp() override { make_parties("[train]\nepochs = 5\nbatch_size = 20\n"); }

  deploy::ServerFolder server_folder() const {
    return deploy::load_server_folder(folder_ / "deploy/server", std::time(nullptr)).value();
  }
  std::unique_ptr<Middle> middle() const {
    const auto server = server_folder();
    const auto client =
        deploy::load_client_folder(client_folder(kShownAnother), std::time(nullptr)).value();
    auto middle =
        std::make_unique<Middle>(static_cast<int>(kShownAnother), server.roster.server.text(),
                                 transport::Tls{server.authority_pem, server.certificate_pem,
                                                std::string(server.key_pem.view())},
                                 transport::Tls{client.authority_pem, client.certificate_pem,
                                                std::string(client.tls_key_pem.view())});
    middle->pass_refusals();
    middle->change_down([cheat = std::make_shared<OtherPlan>(server_folder())](
                            const v1::Frame& frame) { return (*cheat)(frame); });
    return middle;
  }
  std::vector<fs::path> evidence_of(std::size_t n) const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(client_folder(n))) {
      if (entry.path().filename().string().starts_with("evidence-")) found.push_back(entry.path());
    }
    return found;
  }
  void expect_proof(std::size_t n, const fs::path& evidence) {
    const Outcome verified =
        fedvs({"verify-evidence", evidence.string(), "--roster", "deploy/client-2/roster.toml"});
    EXPECT_EQ(verified.status, 0) << verified.err;
    EXPECT_THAT(verified.out, AllOf(HasSubstr("proven: the holder of key"),
                                    HasSubstr("that key is the server's")));
    // The client does not start any more, and says where the proof is.
    const Outcome again = start_client(n)->wait();
    EXPECT_EQ(again.status, kRefusedStatus);
    EXPECT_THAT(again.err, AllOf(HasSubstr("the server has signed two different plans"),
                                 HasSubstr("proof: " + evidence.string()),
                                 HasSubstr(client_folder(n) + "/refused.json"),
                                 HasSubstr("--take-part-again")));
  }
};

TEST_F(CheatingServer, IsProvenToHaveSignedTwoPlansByMoreThanTOfItsClients) {
  const auto server = start("server", {"server", "--dir", path("deploy/server"), "--labels",
                                       path("parties/labels.csv"), "--wait", "60"});
  const auto between = middle();
  Programs clients;
  for (std::size_t n = 0; n < kClients; ++n) {
    const bool other = n == kShownAnother;
    clients.push_back(start_client(
        n, "parties", other ? Arguments{"--server", between->address()} : Arguments{}));
  }
  for (auto& client : clients) EXPECT_EQ(client->wait().status, kRefusedStatus);
  EXPECT_EQ(server->wait().status, kRefusedStatus) << said_by("server");
  int proofs = 0;
  for (std::size_t n = 0; n < kClients; ++n) {
    for (const auto& evidence : evidence_of(n)) {
      ++proofs;
      expect_proof(n, evidence);
    }
  }
  EXPECT_GT(proofs, kColluding);
}

}  // namespace
}  // namespace fedvs::cli
