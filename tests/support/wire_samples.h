// Messages and envelopes of every kind, for tests of net/wire/ and as seeds of its fuzzers.
#pragma once
#include <string>
#include <vector>

#include "fedvs/field/panels.h"
#include "fedvs/job/parse.h"
#include "fedvs/net/wire/envelope.h"
#include "fedvs/protocol/agreement.h"
#include "fedvs/protocol/chunks.h"
#include "fedvs/protocol/messages.h"
#include "tests/support/rings.h"

namespace fedvs::testing {

// N clients of `features` columns each, K = 2, T = 1. 600, 60 and 90 rows, ten samples per batch.
inline protocol::Agreement wire_agreement(const std::string& ring, int clients = 7,
                                          int features = 2,
                                          std::vector<std::string> sets = {"model.width=3",
                                                                           "train.batch_size=10"}) {
  sets.insert(sets.begin(), {"data.name=synthetic", "code.K=2", "code.ring=" + ring});
  const Job job = complete_job({.toml = std::nullopt, .sets = std::move(sets)}).value();
  const std::vector<int> columns(static_cast<std::size_t>(clients), features);
  return protocol::agree(job, columns, {600, 60, 90}, 2).value();
}

// Random messages of a job: every kind, with lists and matrices of the sizes that the job asks for.
class WireSamples {
 public:
  WireSamples(const protocol::Agreement& agreement, std::uint64_t seed)
      : agreement_(agreement), random_(seeded(seed)) {}

  std::vector<protocol::Message> all() {
    return {hello(),         welcome(),
            row_key(),       row_check(),
            data_request(),  data_share(),
            model_request(), model_share(),
            seed_share(),    first_step(),
            step(),          upload(),
            report(),        protocol::ReportRequest{true},
            refusal(),       protocol::Regather{},
            row_verdict(),   complaint(),
            farewell(),      missed_plan(),
            echo(),          protocol::SeedRequest{client()}};
  }

  std::uint64_t number(std::uint64_t below) { return random_.next_u64() % below; }
  bool flag() { return number(2) == 1; }
  int client() { return static_cast<int>(number(parties())); }
  template <std::size_t Size>
  std::array<std::uint8_t, Size> bytes() {
    std::array<std::uint8_t, Size> drawn;
    random_.fill(drawn);
    return drawn;
  }
  protocol::SharingId sharing() { return {bytes<16>()}; }
  protocol::Incarnation incarnation() { return {bytes<16>()}; }
  field::RingMatrix matrix(std::size_t rows, std::size_t cols) {
    return field::uniform(agreement_.ring, rows, cols, random_);
  }

  protocol::Hello hello() {
    return {.from = client(),
            .incarnation = incarnation(),
            .step = number(1000),
            .chain = bytes<32>(),
            .card = card(),
            .sharing = sharing(),
            .seeds = bytes<32>(),
            .groups = groups(),
            .head = head()};
  }
  protocol::LifeCard card() {
    return {.key = bytes<32>(), .signature = std::string(1 + number(128), 's')};
  }
  protocol::RowVerdict row_verdict() {
    return {.from = client(), .incarnation = incarnation(), .differ = {1, 3}};
  }
  protocol::SignedHead head() {
    return {.index = number(5000), .link = bytes<32>(), .signature = bytes<64>()};
  }
  protocol::Echo echo() {
    return {.from = client(), .head = head(), .kind = static_cast<protocol::Echo::Kind>(number(3))};
  }
  protocol::Welcome welcome() {
    protocol::Welcome made{.server = incarnation(),
                           .clients = {},
                           .training = flag(),
                           .cards = {},
                           .sharings = {},
                           .seeds = {}};
    for (std::size_t n = 0; n < parties(); ++n) {
      made.clients.push_back(incarnation());
      made.cards.push_back(n == 1 ? protocol::LifeCard{} : card());  // one has not come
      made.sharings.push_back(sharing());
      made.seeds.push_back(bytes<32>());
      made.named.push_back(n == 1 ? std::nullopt : std::optional(number(1000)));
    }
    return made;
  }
  protocol::RowKey row_key() { return {.from = 0, .key = bytes<32>()}; }
  protocol::RowCheck row_check() {
    return {.from = client(), .rows = 750, .digest = bytes<32>(), .groups = groups()};
  }
  protocol::DataRequest data_request() {
    return {.from = client(), .part = data::Part::kTest, .first_row = 0};
  }
  protocol::DataShare data_share() {
    const int from = client();
    const std::size_t rows = agreement_.coded_rows(data::Part::kValidation);
    return {.from = from,
            .part = data::Part::kValidation,
            .first_row = 0,
            .values = std::make_shared<const field::RingMatrix>(
                matrix(1, rows * agreement_.inputs(from))),
            .sharing = sharing()};
  }
  protocol::ModelShare model_share() {
    const int from = client();
    return {.from = from,
            .version = {number(1000), incarnation()},
            .chain = bytes<32>(),
            .values = protocol::share_of(matrix(field::panel_rows(agreement_.width),
                                                field::panel_cols(agreement_.padded_inputs(from)))),
            .head = head()};
  }
  protocol::SeedShare seed_share() {
    protocol::SeedShare made{.from = client(), .maker = client(), .commitments = {}, .seeds = {}};
    for (std::uint32_t set = 0; set < 3; ++set) {
      made.commitments.push_back(bytes<32>());
      made.seeds.push_back({set, bytes<32>()});
    }
    return made;
  }
  protocol::Plan plan() {
    protocol::Plan made;
    made.round = number(1000);
    made.revision = number(5000);
    made.epoch = static_cast<int>(number(100));
    for (std::size_t i = 0; i < agreement_.batch_rows(); ++i) made.rows.push_back(7 * i % 300);
    for (std::size_t n = 0; n < parties(); ++n) {
      made.versions.push_back(
          n == 2 ? std::nullopt : std::optional(protocol::Version{number(1000), incarnation()}));
    }
    return made;
  }
  protocol::Step first_step() {
    protocol::Step made;
    made.share = flags();
    made.frozen = flags();
    made.released = flags();
    return made;
  }
  protocol::Step step() {
    protocol::Step made = first_step();
    const auto learned = plan();
    const std::size_t count =
        learned.rows.size() * agreement_.width * static_cast<std::size_t>(agreement_.shape.blocks);
    std::vector<float> values;
    while (values.size() < count) values.push_back(static_cast<float>(random_.next_unit() - 0.5));
    made.gradient = std::make_shared<const protocol::Gradient>(
        std::make_shared<const protocol::Plan>(learned), std::move(values));
    made.plan = std::make_shared<const protocol::Plan>(plan());
    made.groups = std::make_shared<const protocol::Groups>(groups());
    made.rate_factor = 0.625;
    made.head = head();
    return made;
  }
  protocol::MissedPlan missed_plan() {
    protocol::MissedPlan made{.step = step(), .more = flag()};
    made.step.gradient = nullptr;
    return made;
  }
  protocol::Groups groups() {
    protocol::Groups made(2);
    for (std::size_t n = parties(); n-- > 0;) made[n % 2].push_back(static_cast<int>(n));
    return made;
  }
  protocol::Holdings holdings() {
    protocol::Holdings made;
    for (std::size_t n = 0; n < parties(); ++n) {
      auto& newest = made.newest.emplace_back();
      if (n != 1) newest = {number(1000), static_cast<std::uint32_t>(number(1ull << 32))};
    }
    made.data_complete = flag();
    made.saved = number(1000);
    for (std::size_t n = 0; n < parties(); ++n) made.rows_held.push_back(n);
    return made;
  }
  protocol::Upload upload() {
    return {.from = client(),
            .revision = number(5000),
            .tag = bytes<32>(),
            .values = std::make_shared<const field::RingMatrix>(
                matrix(agreement_.batch_rows(), agreement_.width)),
            .holdings = holdings()};
  }
  protocol::Report report() {
    return {.from = client(), .holdings = holdings(), .finished = flag(), .agreeing = client()};
  }
  protocol::Refusal refusal() {
    return {.from = client(), .revision = number(5000), .reason = "row 7 twice in epoch 3: no"};
  }
  protocol::Complaint complaint() {
    return {.from = client(), .about = client(), .reason = "step 7 twice"};
  }
  protocol::ModelRequest model_request() {
    return {.from = client(),
            .held = protocol::HeldVersion{number(1000), incarnation().short_id()}};
  }
  protocol::Farewell farewell() {
    return {.ending = protocol::Ending::kStopped, .reason = "stopped by the operator: \u00fcber"};
  }

  wire::Introduction introduction() {
    return {.job_digest = bytes<32>(),
            .roster_digest = bytes<32>(),
            .name = "bank-a",
            .features = 23,
            .rows = 750,
            .data_id = bytes<32>()};
  }
  wire::Terms terms() {
    return {.features = std::vector<std::uint32_t>(parties(), 23),
            .rows = {600, 60, 90},
            .classes = 2,
            .run_id = bytes<16>(),
            .row_ids = bytes<32>(),
            .total_rows = 750,
            .versions = std::vector<std::uint64_t>(parties(), 41)};
  }
  wire::Sealed sealed() {
    return {.from = 1,
            .to = 4,
            .kind = 7,
            .id = number(1000),
            .position = number(1000),
            .sealed = "what nobody but client 5 can read"};
  }
  std::vector<wire::Envelope> envelopes() {
    return {introduction(), wire::RowsOffer{bytes<32>(), 750, true}, wire::RowsAnswer{true},
            terms(),        wire::OpenMessage{"a message"},          sealed()};
  }

 private:
  std::size_t parties() const { return static_cast<std::size_t>(agreement_.shape.parties); }
  std::vector<bool> flags() {
    std::vector<bool> drawn;
    while (drawn.size() < parties()) drawn.push_back(flag());
    return drawn;
  }
  const protocol::Agreement& agreement_;
  Prng random_;
};

}  // namespace fedvs::testing
