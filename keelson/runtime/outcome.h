// What a reconcile came to.
//
//   return Outcome::Done();          // until something changes
//   return Outcome::After(30s);      // and look again then, whatever happens
//   return Outcome::Retry();         // not there yet: again, later and later, without this being an error
//   return error;                    // the same, counted and logged as an error
//   return Terminal(error);          // counted and logged; not again until something changes
#pragma once

#include <cstdint>
#include <memory>

#include "keelson/core/error.h"
#include "keelson/core/time.h"

namespace keelson {

// A value.
class [[nodiscard]] Outcome {
 public:
  enum class Kind : uint8_t { kDone, kAfter, kRetry };

  static Outcome Done() { return Outcome(Kind::kDone, Duration::zero()); }
  // At once when the delay is not positive.
  static Outcome After(Duration delay) { return Outcome(Kind::kAfter, delay); }
  static Outcome Retry() { return Outcome(Kind::kRetry, Duration::zero()); }

  Kind kind() const { return kind_; }
  Duration delay() const { return delay_; }

  friend bool operator==(const Outcome&, const Outcome&) = default;

 private:
  Outcome(Kind kind, Duration delay) : kind_(kind), delay_(delay) {}

  Kind kind_;
  Duration delay_;
};

// An error that trying again cannot mend. Code and message stay; what the error carried is kept as its cause.
class TerminalDetail : public ErrorDetail {
 public:
  explicit TerminalDetail(Error cause) : cause_(std::move(cause)) {}
  const Error& cause() const { return cause_; }

 private:
  const Error cause_;
};

inline Error Terminal(Error error) {
  return Error(error.code(), error.message()).WithDetail(std::make_shared<TerminalDetail>(error));
}
inline bool IsTerminal(const Error& error) { return error.detail<TerminalDetail>() != nullptr; }

}  // namespace keelson
