// Named tensors as bytes: what Python's torch.load reads as a dict, then SHA-256 of it all.
//   torch.load(io.BytesIO(bytes))["module.linear1.weight"]
// Private to central_*.cc: it names libtorch's tensor.
#pragma once
#include <span>
#include <string>

#include "fedvs/base/result.h"
#include "fedvs/model/central_network.h"

namespace fedvs::model {

std::string to_bytes(std::span<const NamedTensor> tensors);
// The tensors named in `expected`, in that order. kCorrupt when the bytes were cut or changed, or
// hold other names, shapes or types than `expected` does.
Result<std::vector<NamedTensor>> from_bytes(const std::string& bytes,
                                            std::span<const NamedTensor> expected);

}  // namespace fedvs::model
