#include "fedvs/model/central_archive.h"

#include <ATen/core/Dict.h>
#include <fmt/format.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <sstream>
#include <string_view>

#include "fedvs/base/digest.h"

namespace fedvs::model {
namespace {

using TensorDict = c10::Dict<c10::IValue, c10::IValue>;

std::string digest_of(std::string_view bytes) {
  const Digest digest = Hasher().add(bytes).finish();
  return {digest.begin(), digest.end()};
}

Error corrupt(const std::string& problem) {
  return {ErrorCode::kCorrupt, "the saved central model " + problem};
}

template <class Value>
std::string text_of(const Value& value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// The digest stands first in line: libtorch's reader is not made for damaged bytes.
Result<TensorDict> unpack(const std::string& bytes) {
  const std::size_t digest_size = Digest().size();
  if (bytes.size() < digest_size) {
    return corrupt(fmt::format("has only {} bytes; use an earlier checkpoint", bytes.size()));
  }
  const std::string_view body(bytes.data(), bytes.size() - digest_size);
  if (digest_of(body) != std::string_view(bytes).substr(body.size())) {
    return corrupt("does not match its checksum: it was cut or changed; use an earlier checkpoint");
  }
  try {
    const auto value = torch::jit::pickle_load({body.begin(), body.end()});
    if (value.isGenericDict()) return value.toGenericDict();
  } catch (const std::exception&) {
  }
  return corrupt("is not a dict of tensors");
}

Status check_alike(const NamedTensor& expected, const at::Tensor& found) {
  if (found.sizes() == expected.tensor.sizes() && found.dtype() == expected.tensor.dtype()) {
    return {};
  }
  return corrupt(
      fmt::format("has '{}' of shape {}, this job's has {}; resume with the job that the "
                  "run was started with",
                  expected.name, text_of(found.sizes()), text_of(expected.tensor.sizes())));
}

}  // namespace

std::string to_bytes(std::span<const NamedTensor> tensors) {
  c10::Dict<std::string, at::Tensor> dict;
  for (const auto& [name, tensor] : tensors) {
    dict.insert(name, tensor.detach().clone());  // a view would be saved with all of its storage
  }
  const std::vector<char> body = torch::jit::pickle_save(dict);
  std::string bytes(body.begin(), body.end());
  return bytes + digest_of(bytes);
}

Result<std::vector<NamedTensor>> from_bytes(const std::string& bytes,
                                            std::span<const NamedTensor> expected) {
  FEDVS_TRY(const TensorDict dict, unpack(bytes));
  std::vector<NamedTensor> found;
  for (const NamedTensor& entry : expected) {
    const auto position = dict.find(entry.name);
    if (position == dict.end() || !position->value().isTensor()) {
      return corrupt("lacks '" + entry.name +
                     "'; resume with the job that the run was started with");
    }
    found.push_back({entry.name, position->value().toTensor()});
    FEDVS_TRY_STATUS(check_alike(entry, found.back().tensor));
  }
  if (dict.size() == expected.size()) return found;
  return corrupt(
      fmt::format("has {} tensors, this job's has {}; resume with the job that the run "
                  "was started with",
                  dict.size(), expected.size()));
}

}  // namespace fedvs::model
