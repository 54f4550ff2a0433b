#include "keelson/api/status_error.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace keelson {

namespace {

// Reason, HTTP code and how to react. The first row of an ErrorCode is how ToStatus states it.
struct ReasonRow {
  std::string_view reason;
  int32_t http;
  ErrorCode code;
};
constexpr ReasonRow kReasons[] = {
    {"BadRequest", 400, ErrorCode::kInvalidArgument},
    {"Unauthorized", 401, ErrorCode::kUnauthorized},
    {"Forbidden", 403, ErrorCode::kForbidden},
    {"NotFound", 404, ErrorCode::kNotFound},
    {"MethodNotAllowed", 405, ErrorCode::kUnsupported},
    {"NotAcceptable", 406, ErrorCode::kUnsupported},
    {"Conflict", 409, ErrorCode::kConflict},
    {"AlreadyExists", 409, ErrorCode::kAlreadyExists},
    {"Expired", 410, ErrorCode::kExpired},
    {"Gone", 410, ErrorCode::kExpired},
    {"RequestEntityTooLarge", 413, ErrorCode::kInvalidArgument},
    {"UnsupportedMediaType", 415, ErrorCode::kUnsupported},
    {"Invalid", 422, ErrorCode::kInvalid},
    {"TooManyRequests", 429, ErrorCode::kTooManyRequests},
    {"InternalError", 500, ErrorCode::kInternal},
    {"StoreReadError", 500, ErrorCode::kInternal},
    {"ServiceUnavailable", 503, ErrorCode::kUnavailable},
    {"Timeout", 504, ErrorCode::kTimeout},
    {"ServerTimeout", 500, ErrorCode::kTimeout},
};

ErrorCode CodeOf(const metav1::Status& status) {
  for (const ReasonRow& row : kReasons) {
    if (status.reason == row.reason) return row.code;
  }
  for (const ReasonRow& row : kReasons) {
    if (status.code == row.http) return row.code;
  }
  if (status.code == 408) return ErrorCode::kTimeout;
  if (status.code == 502) return ErrorCode::kUnavailable;
  return status.code >= 400 && status.code < 500 ? ErrorCode::kInvalidArgument : ErrorCode::kInternal;
}

metav1::Status Failure(std::string_view reason, std::string message) {
  const ReasonRow* row = std::find_if(std::begin(kReasons), std::end(kReasons),
                                      [&](const ReasonRow& candidate) { return candidate.reason == reason; });
  return {.status = "Failure", .message = message, .reason = reason, .code = row->http};
}

Error Make(std::string_view reason, std::string message) {
  return ErrorFromStatus(Failure(reason, std::move(message)));
}

Error Make(std::string_view reason, std::string message, metav1::StatusDetails details) {
  metav1::Status status = Failure(reason, std::move(message));
  status.details = std::move(details);
  return ErrorFromStatus(std::move(status));
}

metav1::StatusDetails DetailsOf(const GroupResource& resource, std::string_view name) {
  return {.name = name, .group = resource.group, .kind = resource.resource};
}

std::string Quoted(const GroupResource& resource, std::string_view name) {
  return resource.ToString() + " \"" + std::string(name) + "\"";
}

// "field: message" of each cause, repeated ones once, in brackets when there are several.
std::string Listed(const List<metav1::StatusCause>& causes) {
  std::vector<std::string> texts;
  for (const metav1::StatusCause& cause : causes) {
    std::string text = cause.field.str() + ": " + cause.message.str();
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return texts.size() > 1 ? "[" + all + "]" : all;
}

}  // namespace

Error ErrorFromStatus(metav1::Status status) {
  std::string message = status.message.str();
  if (message.empty()) {
    message = "the server gave no message, but reason \"" + status.reason.str() + "\" and code " +
              std::to_string(status.code);
  }
  const ErrorCode code = CodeOf(status);
  return Error(code, std::move(message)).WithDetail(std::make_shared<StatusDetail>(std::move(status)));
}

const metav1::Status* StatusOf(const Error& error) {
  const auto* detail = error.detail<StatusDetail>();
  return detail == nullptr ? nullptr : &detail->status();
}

metav1::Status ToStatus(const Error& error) {
  if (const metav1::Status* status = StatusOf(error)) return *status;
  std::string_view reason = "InternalError";
  for (const ReasonRow& row : kReasons) {
    if (row.code == error.code()) {
      reason = row.reason;
      break;
    }
  }
  if (error.code() == ErrorCode::kCancelled) reason = "Timeout";
  return Failure(reason, error.message());
}

std::optional<Duration> RetryAfter(const Error& error) {
  const metav1::Status* status = StatusOf(error);
  if (status == nullptr || !status->details || status->details->retryAfterSeconds <= 0) return std::nullopt;
  return std::chrono::seconds(status->details->retryAfterSeconds);
}

bool HasStatusCause(const Error& error, std::string_view cause_type) {
  const metav1::Status* status = StatusOf(error);
  if (status == nullptr || !status->details) return false;
  const List<metav1::StatusCause>& causes = status->details->causes;
  return std::any_of(causes.begin(), causes.end(),
                     [&](const metav1::StatusCause& cause) { return cause.reason == cause_type; });
}

namespace apierrors {

Error NotFound(const GroupResource& resource, std::string_view name) {
  return Make("NotFound", Quoted(resource, name) + " not found", DetailsOf(resource, name));
}

Error AlreadyExists(const GroupResource& resource, std::string_view name) {
  return Make("AlreadyExists", Quoted(resource, name) + " already exists", DetailsOf(resource, name));
}

Error GenerateNameConflict(const GroupResource& resource, std::string_view name, int32_t retry_after_seconds) {
  metav1::StatusDetails details = DetailsOf(resource, name);
  details.retryAfterSeconds = retry_after_seconds;
  return Make(
      "AlreadyExists",
      Quoted(resource, name) + " already exists, the server was not able to generate a unique name for the object",
      std::move(details));
}

Error Conflict(const GroupResource& resource, std::string_view name) {
  return Conflict(resource, name,
                  "the object has been modified; please apply your changes to the latest version and try again");
}

Error Conflict(const GroupResource& resource, std::string_view name, std::string_view reason) {
  return Make("Conflict", "Operation cannot be fulfilled on " + Quoted(resource, name) + ": " + std::string(reason),
              DetailsOf(resource, name));
}

Error ApplyConflict(std::string_view message, List<metav1::StatusCause> causes) {
  return Make("Conflict", std::string(message), {.causes = std::move(causes)});
}

Error Invalid(const GroupKind& kind, std::string_view name, List<metav1::StatusCause> causes) {
  std::string message = kind.ToString() + " \"" + std::string(name) + "\" is invalid";
  if (!causes.empty()) message += ": " + Listed(causes);
  return Make("Invalid", std::move(message),
              {.name = name, .group = kind.group, .kind = kind.kind, .causes = std::move(causes)});
}

Error Forbidden(const GroupResource& resource, std::string_view name, std::string_view reason) {
  std::string what = name.empty() ? resource.ToString() : Quoted(resource, name);
  if (!what.empty()) what += " is ";
  return Make("Forbidden", what + "forbidden: " + std::string(reason), DetailsOf(resource, name));
}

Error Unauthorized(std::string_view reason) {
  return Make("Unauthorized", std::string(reason.empty() ? "not authorized" : reason));
}

Error BadRequest(std::string_view reason) { return Make("BadRequest", std::string(reason)); }

Error MethodNotAllowed(const GroupResource& resource, std::string_view action) {
  return Make("MethodNotAllowed",
              std::string(action) + " is not supported on resources of kind \"" + resource.ToString() + "\"",
              DetailsOf(resource, {}));
}

Error NotAcceptable(std::string_view message) { return Make("NotAcceptable", std::string(message)); }

Error UnsupportedMediaType(std::string_view message) { return Make("UnsupportedMediaType", std::string(message)); }

Error RequestEntityTooLarge(std::string_view message) {
  return Make("RequestEntityTooLarge", "Request entity too large: " + std::string(message));
}

Error Expired(std::string_view message) { return Make("Expired", std::string(message)); }

Error Gone(std::string_view message) { return Make("Gone", std::string(message)); }

Error TooManyRequests(std::string_view message, int32_t retry_after_seconds) {
  return Make("TooManyRequests", std::string(message), {.retryAfterSeconds = retry_after_seconds});
}

Error Timeout(std::string_view message, int32_t retry_after_seconds) {
  return Make("Timeout", "Timeout: " + std::string(message), {.retryAfterSeconds = retry_after_seconds});
}

Error ServerTimeout(const GroupResource& resource, std::string_view operation, int32_t retry_after_seconds) {
  metav1::StatusDetails details = DetailsOf(resource, operation);
  details.retryAfterSeconds = retry_after_seconds;
  return Make("ServerTimeout",
              "The " + std::string(operation) + " operation against " + resource.ToString() +
                  " could not be completed at this time, please try again.",
              std::move(details));
}

Error ServiceUnavailable(std::string_view reason) { return Make("ServiceUnavailable", std::string(reason)); }

Error Internal(std::string_view message) {
  return Make("InternalError", "Internal error occurred: " + std::string(message), {.causes = {{.message = message}}});
}

}  // namespace apierrors
}  // namespace keelson
