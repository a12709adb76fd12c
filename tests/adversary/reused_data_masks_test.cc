// A curious client keeps its files of two runs over the same rows. Were a neighbour's rows masked
// alike in both, at another scale because a third client brought more columns, then the difference
// of its two shares would be the neighbour's rows:
//   F_2(alpha) - F_1(alpha) = (X_2 - X_1) l_1(alpha),   X_r = Round(2^l_r x),   K = 1
// It shows only in the files of real parties whether they are.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <sstream>

#include "fedvs/protocol/client/data_sharer.h"
#include "tests/party/rehearsal.h"

namespace fedvs {
namespace {

using data::Part;
using party::testing::Rehearsal;

constexpr int kCurious = 0, kVictim = 1, kWidened = 2;

// The victim's columns of the curious client's file of one run.
struct Loot {
  int l_x;
  field::RingMatrix shares;  // training rows x inputs of the victim
};

// The rows of which every feature is within one step of the coarser scale.
std::size_t rows_read(const coding::LagrangeCode& code, const Loot& first, const Loot& second,
                      const data::Table& truth) {
  const auto& ring = code.ring();
  const double scale = std::ldexp(1.0, second.l_x) - std::ldexp(1.0, first.l_x);
  const double step = std::ldexp(1.0, -std::min(first.l_x, second.l_x)) + 1e-6;
  const auto read = [&](std::size_t r, std::size_t c) {
    std::vector<field::Residue> residues;
    for (int plane = 0; plane < ring.planes(); ++plane) {
      const auto prime = ring.prime(plane);
      const auto apart =
          field::subtract(second.shares.get(plane, r, c), first.shares.get(plane, r, c), prime);
      const auto weight = code.data_matrix().at(plane, kCurious, 0);
      residues.push_back(field::multiply(apart, field::inverse(weight, prime), prime));
    }
    return static_cast<double>(ring.integer(residues)) / scale;
  };
  std::size_t rows = 0;
  for (std::size_t r = 0; r < truth.rows; ++r) {
    bool whole = true;
    for (std::size_t c = 0; c < truth.cols && whole; ++c) {
      const double value = static_cast<double>(truth.values[r * truth.cols + c]);
      whole = std::abs(read(r, c) - value) <= step;
    }
    if (whole) ++rows;
  }
  return rows;
}

class ReusedDataMasks : public ::testing::Test {
 protected:
  protocol::Agreement agreement() const {
    std::vector<int> features;
    for (int n = 0; n < Rehearsal::kClients; ++n) {
      features.push_back(static_cast<int>(run_.rows_of(n).features.cols));
    }
    const auto parts = victims_rows();
    const std::size_t rows[] = {parts.features[0].rows, parts.features[1].rows,
                                parts.features[2].rows};
    return protocol::agree(run_.job(), features, rows, 2).value();
  }
  data::Prepared victims_rows() const {
    data::Standardiser fitted;
    return data::prepare_party(run_.rows_of(kVictim), run_.job().data, &fitted).value();
  }
  coding::LagrangeCode code() const {
    const auto a = agreement();
    return coding::LagrangeCode::create(a.ring, a.shape).value();
  }

  // A whole run of real parties, from no state at all, and what the curious client has of it.
  Loot train_and_loot() {
    run_.start_server();
    for (int n = 0; n < Rehearsal::kClients; ++n) run_.start_client(n);
    const auto over = run_.wait();
    EXPECT_TRUE(over.server) << over.server.error().message << run_.log().text();
    const auto a = agreement();
    const auto stored = protocol::lasting_rows(a, state_of(kCurious)).value();
    std::vector<std::size_t> all(a.coded_rows(Part::kTrain));
    for (std::size_t r = 0; r < all.size(); ++r) all[r] = r;
    field::RingMatrix rows(a.ring, all.size(), a.total_padded_inputs());
    const auto& gathered = stored->gather(Part::kTrain, all, rows);
    Loot loot{a.scales.l_x, field::RingMatrix(a.ring, all.size(), a.inputs(kVictim))};
    for (int plane = 0; plane < a.ring.planes(); ++plane) {
      for (std::size_t r = 0; r < all.size(); ++r) {
        for (std::size_t c = 0; c < a.inputs(kVictim); ++c) {
          loot.shares.set(plane, r, c, gathered.get(plane, r, a.first_padded_input(kVictim) + c));
        }
      }
    }
    return loot;
  }
  std::filesystem::path state_of(int n) const {
    return run_.trial().clients[static_cast<std::size_t>(n)] / "state";
  }
  // As operators do who want to train anew.
  void move_states_away() {
    const auto move = [](const std::filesystem::path& state) {
      std::filesystem::rename(state, state.string() + "-of-before");
    };
    for (int n = 0; n < Rehearsal::kClients; ++n) move(state_of(n));
    move(run_.trial().server / "state");
  }
  void add_columns(int n, int count) {
    std::istringstream lines(contents_of(run_.table_of(n)));
    std::string widened;
    int row = 0;
    for (std::string line; std::getline(lines, line); ++row) {
      widened += line;
      for (int c = 0; c < count; ++c) {
        widened += row == 0 ? fmt::format(",more{}", c) : fmt::format(",{}", row * (c + 3) % 17);
      }
      widened += "\n";
    }
    put(run_.table_of(n), widened);
  }

  Rehearsal run_{{"data.rows=120", "data.validation_share=0.1", "train.epochs=1", "code.K=1"}};
};

TEST_F(ReusedDataMasks, TwoTrainingsAtOtherScalesTellAClientNoRowOfItsNeighbour) {
  const Loot first = train_and_loot();
  move_states_away();
  add_columns(kWidened, 150);
  const Loot second = train_and_loot();
  ASSERT_NE(first.l_x, second.l_x) << "the third client's columns change the scale";
  const auto truth = victims_rows();
  const auto& table = truth.features[static_cast<int>(Part::kTrain)];
  const std::size_t read = rows_read(code(), first, second, table);
  std::printf("real parties, l_x %d then %d: %zu of %zu rows read\n", first.l_x, second.l_x, read,
              table.rows);
  EXPECT_EQ(read, 0u);
}

// The same arithmetic on what a client shares, with nothing but the key to choose.
TEST_F(ReusedDataMasks, UnderOneKeyTheDifferenceOfTwoScalesIsEveryRow) {
  const auto truth = victims_rows();
  const auto& table = truth.features[static_cast<int>(Part::kTrain)];
  auto a = agreement();
  const auto shared = [&](int l_x, std::uint8_t key) {
    Key256 bytes;
    bytes.fill(key);
    a.scales.l_x = l_x;
    const auto code = coding::LagrangeCode::create(a.ring, a.shape).value();
    const model::FixedRows rows(table, a.clients[kVictim].degree, l_x);
    protocol::DataSharer sharer(a, code, Prng(bytes));
    const auto flat = sharer.share(rows, Part::kTrain, 0, table.rows, kCurious);
    Loot loot{l_x, field::RingMatrix(a.ring, table.rows, rows.cols())};
    loot.shares.paste_flat(flat, 0, table.rows, 0, rows.cols());
    return loot;
  };
  const int l_x = a.scales.l_x;
  const std::size_t alike = rows_read(code(), shared(l_x, 1), shared(l_x - 1, 1), table);
  const std::size_t apart = rows_read(code(), shared(l_x, 1), shared(l_x - 1, 2), table);
  std::printf("one key: %zu of %zu rows read; a key per sharing: %zu\n", alike, table.rows, apart);
  EXPECT_EQ(alike, table.rows);
  EXPECT_EQ(apart, 0u);
}

}  // namespace
}  // namespace fedvs
