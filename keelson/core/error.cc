#include "keelson/core/error.h"

namespace keelson {

std::string_view ToString(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument: return "InvalidArgument";
    case ErrorCode::kNotFound: return "NotFound";
    case ErrorCode::kAlreadyExists: return "AlreadyExists";
    case ErrorCode::kConflict: return "Conflict";
    case ErrorCode::kInvalid: return "Invalid";
    case ErrorCode::kForbidden: return "Forbidden";
    case ErrorCode::kUnauthorized: return "Unauthorized";
    case ErrorCode::kExpired: return "Expired";
    case ErrorCode::kTooManyRequests: return "TooManyRequests";
    case ErrorCode::kTimeout: return "Timeout";
    case ErrorCode::kUnavailable: return "Unavailable";
    case ErrorCode::kCancelled: return "Cancelled";
    case ErrorCode::kUnsupported: return "Unsupported";
    case ErrorCode::kInternal: return "Internal";
  }
  return "Unknown";
}

Error::State Error::moved_away_ = {ErrorCode::kInternal, "(moved away)", nullptr};

Error::Error(ErrorCode code, std::string message) : state_(new State{code, std::move(message), nullptr}) {}
Error::Error(const Error& other) : state_(other.IsNone() ? nullptr : new State(*other.state_)) {}
void Error::Delete(State* state) { delete state; }

Error Error::InvalidArgument(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }
Error Error::NotFound(std::string message) { return {ErrorCode::kNotFound, std::move(message)}; }
Error Error::AlreadyExists(std::string message) { return {ErrorCode::kAlreadyExists, std::move(message)}; }
Error Error::Conflict(std::string message) { return {ErrorCode::kConflict, std::move(message)}; }
Error Error::Cancelled(std::string message) { return {ErrorCode::kCancelled, std::move(message)}; }
Error Error::Unsupported(std::string message) { return {ErrorCode::kUnsupported, std::move(message)}; }
Error Error::Internal(std::string message) { return {ErrorCode::kInternal, std::move(message)}; }

std::string Error::message() && { return std::move(std::move(*this).Own().state_->message); }

// An error that was moved away is the same one for everybody, so what is about to be changed is a copy of it then.
Error Error::Own() && { return state_ == &moved_away_ ? Error(*this) : std::move(*this); }

Error Error::WithContext(std::string_view context) && {
  Error error = std::move(*this).Own();
  std::string message(context);
  message += ": ";
  message += error.state_->message;
  error.state_->message = std::move(message);
  return error;
}

Error Error::WithDetail(std::shared_ptr<const ErrorDetail> detail) && {
  Error error = std::move(*this).Own();
  error.state_->detail = std::move(detail);
  return error;
}

}  // namespace keelson
