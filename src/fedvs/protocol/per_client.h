// One value per client, found by the client's number 0 .. N-1.
#pragma once
#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

namespace fedvs::protocol {

template <class T>
class PerClient {
 public:
  PerClient() = default;
  explicit PerClient(int count, const T& initial = T())
      : values_(static_cast<std::size_t>(count), initial) {}

  // Needs 0 <= client < size().
  decltype(auto) operator[](int client) { return values_[static_cast<std::size_t>(client)]; }
  decltype(auto) operator[](int client) const { return values_[static_cast<std::size_t>(client)]; }
  int size() const { return static_cast<int>(values_.size()); }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

  // One thing of everybody's value, as messages carry it: each(&Member::sharing).
  template <class Projection>
  auto each(Projection of) const {
    std::vector<std::decay_t<std::invoke_result_t<Projection, const T&>>> all;
    all.reserve(values_.size());
    for (const T& value : values_) all.push_back(std::invoke(of, value));
    return all;
  }
  bool operator==(const PerClient&) const = default;

 private:
  std::vector<T> values_;
};

}  // namespace fedvs::protocol
