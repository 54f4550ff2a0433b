// What went wrong, as a value.
//
//   return Error::NotFound("pods \"web\" not found");
//   if (result.error().code() == ErrorCode::kConflict) Retry();
//
// A code is distinct only where a caller reacts to it differently; everything else is in the message, which names the
// object, what was expected and what was found. An error that came from an API server carries the server's answer as
// its detail (see api/status_error.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace keelson {

enum class ErrorCode : uint8_t {
  kInvalidArgument,  // the caller's input cannot be used: malformed, out of range, over a limit
  kNotFound,         // the object, resource or file is not there
  kAlreadyExists,    // create met an object of that name
  kConflict,         // optimistic lock lost: read again, then retry
  kInvalid,          // well-formed, but the server's rules refuse it
  kForbidden,        // authenticated, not allowed
  kUnauthorized,     // not authenticated: refresh credentials
  kExpired,          // the revision or token is too old: list again
  kTooManyRequests,  // slow down: retry after the time given
  kTimeout,          // no answer in time; the write may or may not have happened
  kUnavailable,      // server or network out of reach: retry with backoff
  kCancelled,        // the caller's stop token or deadline ended it
  kUnsupported,      // the request is understood and not served here
  kInternal,         // a bug or a broken invariant; retrying may help, reporting does
};

// The code's name as it appears in logs: "NotFound".
std::string_view ToString(ErrorCode code);

// Base of what an error may carry beyond its message. Immutable once attached.
class ErrorDetail {
 public:
  virtual ~ErrorDetail() = default;
};

template <class T>
class Result;

// One pointer: cheap to move, copyable, immutable but for WithContext and WithDetail. Thread-safe as any value is.
// An error that was moved away has the code kInternal and says so.
//
// What makes, copies and frees errors is cold, so that the compiler lays the ways to it aside from those that are
// taken.
class [[nodiscard]] Error {
 public:
  [[gnu::cold]] Error(ErrorCode code, std::string message);
  Error(Error&& other) noexcept : state_(other.Release()) {}
  [[gnu::cold]] Error(const Error& other);
  Error& operator=(Error&& other) noexcept {
    State* state = other.Release();
    Free();
    state_ = state;
    return *this;
  }
  Error& operator=(const Error& other) { return *this = Error(other); }
  ~Error() { Free(); }

  [[gnu::cold]] static Error InvalidArgument(std::string message);
  [[gnu::cold]] static Error NotFound(std::string message);
  [[gnu::cold]] static Error AlreadyExists(std::string message);
  [[gnu::cold]] static Error Conflict(std::string message);
  [[gnu::cold]] static Error Cancelled(std::string message);
  [[gnu::cold]] static Error Unsupported(std::string message);
  [[gnu::cold]] static Error Internal(std::string message);

  ErrorCode code() const { return state_->code; }
  const std::string& message() const& { return state_->message; }
  [[gnu::cold]] std::string message() &&;

  // "<context>: <message>", the code and detail unchanged: what each caller on the way up knows and the origin did not.
  [[gnu::cold]] Error WithContext(std::string_view context) &&;

  [[gnu::cold]] Error WithDetail(std::shared_ptr<const ErrorDetail> detail) &&;
  // The detail as a T, or null when there is none of that type.
  template <class T>
  const T* detail() const {
    return dynamic_cast<const T*>(state_->detail.get());
  }

 private:
  // Only a Result that has a value holds an error without state.
  template <class T>
  friend class Result;

  struct State {
    ErrorCode code;
    std::string message;
    std::shared_ptr<const ErrorDetail> detail;
  };

  explicit Error(std::nullptr_t) : state_(nullptr) {}
  bool IsNone() const { return state_ == nullptr; }
  // Tells the compiler, which does not see into the constructors.
  void AssumeOne() const {
    if (IsNone()) __builtin_unreachable();
  }

  State* Release() {
    State* state = state_;
    if (state != nullptr) [[unlikely]]
      state_ = &moved_away_;
    return state;
  }
  void Free() {
    if (state_ != nullptr) [[unlikely]] {
      if (state_ != &moved_away_) Delete(state_);
    }
  }
  [[gnu::cold]] static void Delete(State* state);
  [[gnu::cold]] Error Own() &&;

  // Not null, so that a Result whose error was moved away stays failed. Never written to.
  static State moved_away_;

  State* state_;
};

}  // namespace keelson
