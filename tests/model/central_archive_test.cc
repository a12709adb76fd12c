#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <fstream>

#include "fedvs/base/digest.h"
#include "tests/model/central_fixture.h"
#include "tests/model/python_fixture.h"

namespace fedvs::model {
namespace {

using testing::HasSubstr;

std::string with_digest(std::string body) {
  const Digest digest = Hasher().add(body).finish();
  return body.append(digest.begin(), digest.end());
}

struct CentralArchive : testing::Test {
  std::unique_ptr<CentralModel> model = central_for(job_for("mlp"), 3);
  std::string saved = (train(*model, 3, 0, 3), model->save());

  void expect_refused(const std::string& bytes, const char* what) {
    const Status status = model->load(bytes);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(status.error().message, HasSubstr(what));
    EXPECT_EQ(model->save(), saved) << "a refused load must change nothing";
  }
};

TEST_F(CentralArchive, RefusesBytesThatWereChangedAnywhere) {
  for (std::size_t at = 0; at < saved.size(); at += 1 + saved.size() / 40) {
    std::string changed = saved;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    expect_refused(changed, "checksum");
  }
}

TEST_F(CentralArchive, RefusesBytesThatWereCut) {
  expect_refused("", "has only 0 bytes");
  expect_refused(saved.substr(0, 31), "has only 31 bytes");
  expect_refused(saved.substr(0, 32), "checksum");
  expect_refused(saved.substr(0, saved.size() / 2), "checksum");
  expect_refused(saved + "x", "checksum");
}

TEST_F(CentralArchive, RefusesWhatIsNotADictOfTensors) {
  expect_refused(with_digest(""), "not a dict of tensors");
  expect_refused(with_digest("PK\3\4 but no archive"), "not a dict of tensors");
  const auto tensor = torch::jit::pickle_save(at::zeros({3}));
  expect_refused(with_digest({tensor.begin(), tensor.end()}), "not a dict of tensors");
  const auto empty = torch::jit::pickle_save(c10::Dict<std::string, at::Tensor>());
  expect_refused(with_digest({empty.begin(), empty.end()}), "lacks 'module.linear1.weight'");
}

TEST_F(CentralArchive, RefusesTheModelOfAnotherJobAndNamesTheDifference) {
  Job other = job_for("mlp");
  other.model.hidden = {16, 4};
  expect_refused(central_for(other, 3)->save(), "'module.linear2.weight' of shape [4, 16]");
  expect_refused(central_for(job_for("mlp", "momentum"), 3)->save(), "'optimizer.second'");
  expect_refused(central_for(job_for("credit"), 2)->save(), "lacks 'module.linear3.weight'");
}

TEST_F(CentralArchive, IsReadByPythonWhoseModulesPredictTheSame) {
  FEDVS_NEEDS_PYTHON_TORCH();
  for (const char* kind : {"mlp", "mlp-binary", "credit"}) {
    // Given a trained model, saved beside some embeddings
    auto trained = central_for(job_for(kind), 2);
    train(*trained, 2, 0, 40);
    const Toy toy = make_toy(10, 2, 9);
    const TemporaryFolder folder("archive");
    std::ofstream(folder.path() / "model.pt", std::ios::binary) << trained->save();
    std::ofstream rows(folder.path() / "embeddings.txt");
    for (float value : toy.embeddings) rows << std::hexfloat << value << "\n";
    rows.close();
    std::ofstream(folder.path() / "kind.txt") << kind;
    // When Python builds the model from torch.nn and loads it
    ASSERT_TRUE(run_python("read_archive.py", folder.path()));
    // Then it predicts the same probabilities.
    std::ifstream answers(folder.path() / "probabilities.txt");
    for (const float p : trained->predict(toy.embeddings)) {
      double expected = -1;
      ASSERT_TRUE(answers >> expected);
      EXPECT_NEAR(p, expected, 1e-5) << kind;
    }
  }
}

}  // namespace
}  // namespace fedvs::model
