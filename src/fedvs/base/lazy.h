// A value that is made when it is first asked for, once, whoever asks and from whichever thread.
#pragma once
#include <mutex>
#include <optional>

namespace fedvs {

template <class Value>
class Lazy {
 public:
  template <class Make>  // () -> Value
  const Value& get(const Make& make) const {
    std::call_once(made_, [&] { value_.emplace(make()); });
    return *value_;
  }

 private:
  mutable std::once_flag made_;
  mutable std::optional<Value> value_;
};

}  // namespace fedvs
