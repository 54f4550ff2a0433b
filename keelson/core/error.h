// What went wrong, as a value.
//
//   return Error::NotFound("pods \"web\" not found");
//   if (result.error().code() == ErrorCode::kConflict) Retry();
//
// A code is distinct only where a caller reacts to it differently; everything else is in the message, which names the
// object, what was expected and what was found. An error that came from an API server carries the server's answer as
// its detail (see api/status_error.h).
#pragma once

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

// Cheap to move, copyable, immutable but for WithContext. Thread-safe as any value is.
class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Error InvalidArgument(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }
  static Error NotFound(std::string message) { return {ErrorCode::kNotFound, std::move(message)}; }
  static Error AlreadyExists(std::string message) { return {ErrorCode::kAlreadyExists, std::move(message)}; }
  static Error Conflict(std::string message) { return {ErrorCode::kConflict, std::move(message)}; }
  static Error Cancelled(std::string message) { return {ErrorCode::kCancelled, std::move(message)}; }
  static Error Unsupported(std::string message) { return {ErrorCode::kUnsupported, std::move(message)}; }
  static Error Internal(std::string message) { return {ErrorCode::kInternal, std::move(message)}; }

  ErrorCode code() const { return code_; }
  const std::string& message() const& { return message_; }
  std::string message() && { return std::move(message_); }

  // "<context>: <message>", the code and detail unchanged: what each caller on the way up knows and the origin did not.
  Error WithContext(std::string_view context) &&;

  Error WithDetail(std::shared_ptr<const ErrorDetail> detail) && {
    detail_ = std::move(detail);
    return std::move(*this);
  }
  // The detail as a T, or null when there is none of that type.
  template <class T>
  const T* detail() const {
    return dynamic_cast<const T*>(detail_.get());
  }

 private:
  ErrorCode code_;
  std::string message_;
  std::shared_ptr<const ErrorDetail> detail_;
};

}  // namespace keelson
