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

Error Error::WithContext(std::string_view context) && {
  std::string message(context);
  message += ": ";
  message += message_;
  message_ = std::move(message);
  return std::move(*this);
}

}  // namespace keelson
