// A value, or an error whose message names the thing, the numbers and the remedy.
// Member names are those of std::expected.
#pragma once
#include <string>
#include <utility>
#include <variant>

#include "fedvs/base/check.h"

namespace fedvs {

enum class ErrorCode {
  kBadShape,      ///< N, K, T or a ring that cannot work together
  kTooFewShares,  ///< fewer uploads than the recovery threshold R
  kBadJob,        ///< a job key or flag with a value that cannot be used
  kBadFile,       ///< a file that is missing, unreadable, truncated or not what it claims to be
  kBadData,       ///< a table with the wrong rows, columns, labels or values
  kCorrupt,       ///< uploads or checkpoints that contradict themselves
  kRefused,       ///< a message that the protocol forbids to act on
  kStopped,       ///< stopped on request, with the run saved
};

struct Error {
  ErrorCode code;
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& value() & { return checked(), std::get<0>(state_); }
  const T& value() const& { return checked(), std::get<0>(state_); }
  T&& value() && { return checked(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  void checked() const { FEDVS_CHECK(has_value(), has_value() ? "" : std::get<1>(state_).message); }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT: implicit
  bool has_value() const { return ok_; }
  explicit operator bool() const { return ok_; }
  void value() const { FEDVS_CHECK(ok_, error_.message); }
  const Error& error() const { return error_; }

 private:
  Error error_{};
  bool ok_ = true;
};
using Status = Result<void>;

}  // namespace fedvs

// FEDVS_TRY(auto table, load(path));  returns the error to the caller, or declares the value.
#define FEDVS_TRY_CONCAT_(a, b) a##b
#define FEDVS_TRY_NAME_(line) FEDVS_TRY_CONCAT_(fedvs_try_, line)
#define FEDVS_TRY(declaration, expression)                                                  \
  auto FEDVS_TRY_NAME_(__LINE__) = (expression);                                            \
  if (!FEDVS_TRY_NAME_(__LINE__)) return ::fedvs::Error(FEDVS_TRY_NAME_(__LINE__).error()); \
  declaration = std::move(*FEDVS_TRY_NAME_(__LINE__))
#define FEDVS_TRY_STATUS(expression)                     \
  do {                                                   \
    if (auto fedvs_status = (expression); !fedvs_status) \
      return ::fedvs::Error(fedvs_status.error());       \
  } while (false)
