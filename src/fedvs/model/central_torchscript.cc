#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <set>

#include "fedvs/base/public_random.h"
#include "fedvs/model/central_network.h"

namespace fedvs::model {
namespace {

class TorchScript final : public Network {
 public:
  TorchScript(torch::jit::Module module, std::uint64_t seed)
      : module_(std::move(module)), seed_(seed) {
    for (const auto& parameter : module_.named_parameters()) add(parameter.name, parameter.value);
    module_.eval();
  }
  // What the module itself returns, as rows x columns floats.
  at::Tensor outputs(const at::Tensor& x, bool training) {
    if (training != training_) module_.train(training);
    training_ = training;
    const at::Tensor out = module_.forward({x}).toTensor().to(at::kFloat);
    return out.dim() == 1 ? out.unsqueeze(1) : out;
  }
  at::Tensor log_probabilities(const at::Tensor& x, bool training) override {
    if (training) seed_dropout();
    const at::Tensor out = outputs(x, training);
    // Log-probabilities are their own log-softmax.
    return out.size(1) == 1 ? binary_from_probability(out) : at::log_softmax(out, 1);
  }
  std::vector<NamedTensor> parameters() override { return trained_; }
  std::vector<NamedTensor> buffers() override {
    std::vector<NamedTensor> all = frozen_;
    for (const auto& buffer : module_.named_buffers()) all.push_back({buffer.name, buffer.value});
    all.push_back({kDraws, draws_});
    return all;
  }
  double macs_per_row() const override {
    double macs = 0;
    for (const auto& [name, tensor] : trained_) {
      if (tensor.dim() == 2) macs += static_cast<double>(tensor.numel());
    }
    return macs;
  }

 private:
  static constexpr const char* kDraws = "fedvs.training_steps";

  // Tied weights are named twice but trained once.
  void add(const std::string& name, const at::Tensor& tensor) {
    if (!seen_.insert(tensor.unsafeGetTensorImpl()).second) return;
    (tensor.requires_grad() ? trained_ : frozen_).push_back({name, tensor});
  }
  // Counted, so that training after load() draws what it would have drawn without.
  void seed_dropout() {
    std::int64_t& step = *draws_.data_ptr<std::int64_t>();
    auto random = PublicRandom::keyed({seed_, static_cast<std::uint64_t>(step++)});
    at::Generator generator = at::globalContext().defaultGenerator(at::kCPU);
    generator.set_current_seed(random.next_u64());
  }

  torch::jit::Module module_;
  std::uint64_t seed_;
  bool training_ = false;
  std::vector<NamedTensor> trained_, frozen_;
  std::set<at::TensorImpl*> seen_;
  at::Tensor draws_ = at::zeros({1}, at::kLong);
};

Error bad_module(const std::string& path, const std::string& problem) {
  return {ErrorCode::kBadJob, fmt::format("model.torchscript = '{}': {}", path, problem)};
}

// Torch puts its stack below the first line.
std::string first_line(const std::exception& e) {
  const std::string text = e.what();
  return text.substr(0, text.find('\n'));
}

std::string last_line(const std::exception& e) {
  std::string text = e.what();
  text.erase(text.find_last_not_of(" \n") + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

// The problem with what the module returns for a few random rows; empty if there is none.
std::string output_problem(TorchScript& network, int width, int classes) {
  constexpr std::int64_t kRows = 8;
  const c10::NoGradGuard no_grad;
  const at::Tensor x = at::randn({kRows, width}, at::detail::createCPUGenerator(1));
  const at::Tensor out = network.outputs(x, /*training=*/false);
  if (out.dim() != 2 || out.size(0) != kRows) {
    return fmt::format(
        "the module does not return one row of outputs per row; its input is rows "
        "of model.width = {} numbers",
        width);
  }
  const bool one_probability = classes == 2 && out.size(1) == 1;
  if (out.size(1) != classes && !one_probability) {
    return fmt::format("the module has {} outputs and the data {} classes; export it with {}{}",
                       out.size(1), classes, classes,
                       classes == 2 ? " (or 1) outputs" : " outputs");
  }
  if (one_probability && !(out.min().item<float>() >= 0 && out.max().item<float>() <= 1)) {
    return "one output means the probability of class 1, and the module's lies outside [0, 1]; "
           "end it with a Sigmoid, or return 2 outputs";
  }
  return "";
}

std::string parameter_problem(TorchScript& network) {
  const auto parameters = network.parameters();
  if (parameters.empty()) return "the module has no parameters to train; was it frozen?";
  for (const auto& [name, tensor] : parameters) {
    if (tensor.scalar_type() != at::kFloat) {
      return fmt::format("parameter '{}' is not float32; call module.float() before saving", name);
    }
  }
  return "";
}

}  // namespace

Result<std::unique_ptr<Network>> make_torchscript_network(const Job& job, int classes,
                                                          std::uint64_t seed) {
  const std::string& path = job.model.torchscript;
  if (path.empty()) {
    return bad_module(path,
                      "model.central = 'torchscript' needs the file of a module that Python "
                      "saved with torch.jit.save");
  }
  // The profiling executor rewrites a module after its first runs, which may change roundings:
  // training after load() would differ from training straight on.
  torch::jit::getProfilingMode() = false;
  std::unique_ptr<TorchScript> network;
  try {
    network = std::make_unique<TorchScript>(torch::jit::load(path, at::kCPU), seed);
  } catch (const std::exception& e) {
    return bad_module(path, "cannot be read as TorchScript (" + first_line(e) +
                                "); save it with torch.jit.save(torch.jit.script(module), file)");
  }
  try {
    std::string problem = parameter_problem(*network);
    if (problem.empty()) problem = output_problem(*network, job.model.width, classes);
    if (!problem.empty()) return bad_module(path, problem);
  } catch (const std::exception& e) {
    return bad_module(path, fmt::format("cannot be run on rows of model.width = {} numbers ({})",
                                        job.model.width, last_line(e)));
  }
  return std::unique_ptr<Network>(std::move(network));
}

}  // namespace fedvs::model
