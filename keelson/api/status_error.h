// Errors as an API server states them: metav1::Status, both ways.
//
//   return apierrors::NotFound({"apps", "deployments"}, "web");     // deployments.apps "web" not found
//   if (IsNotFound(error)) …
//   if (const metav1::Status* status = StatusOf(error)) Log(status->reason);
//
// An Error that came from a server carries the Status as its detail; its code says how to react. The texts are those of
// Kubernetes, because clients have come to compare them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "keelson/api/gvk.h"
#include "keelson/api/meta/v1.h"
#include "keelson/core/error.h"
#include "keelson/core/time.h"

namespace keelson {

class StatusDetail : public ErrorDetail {
 public:
  explicit StatusDetail(metav1::Status status) : status_(std::move(status)) {}
  const metav1::Status& status() const& { return status_; }

 private:
  const metav1::Status status_;
};

// The code follows from the status' reason or, where that says nothing known, from its HTTP code.
Error ErrorFromStatus(metav1::Status status);
// The Status that the error carries, or null. Lives as long as the error and its copies.
const metav1::Status* StatusOf(const Error& error);
const metav1::Status* StatusOf(const Error&& error) = delete;
// What a server answers: the Status that the error carries, or one made from its code and message.
metav1::Status ToStatus(const Error& error);

// How long the server asked to wait before the next try, if it did.
std::optional<Duration> RetryAfter(const Error& error);
// Whether the server gave a cause of that type, such as "FieldManagerConflict" or "ResourceVersionTooLarge".
bool HasStatusCause(const Error& error, std::string_view cause_type);

inline bool IsNotFound(const Error& error) { return error.code() == ErrorCode::kNotFound; }
inline bool IsAlreadyExists(const Error& error) { return error.code() == ErrorCode::kAlreadyExists; }
inline bool IsConflict(const Error& error) { return error.code() == ErrorCode::kConflict; }
inline bool IsInvalid(const Error& error) { return error.code() == ErrorCode::kInvalid; }
inline bool IsForbidden(const Error& error) { return error.code() == ErrorCode::kForbidden; }
inline bool IsUnauthorized(const Error& error) { return error.code() == ErrorCode::kUnauthorized; }
inline bool IsExpired(const Error& error) { return error.code() == ErrorCode::kExpired; }  // also reason Gone
inline bool IsTooManyRequests(const Error& error) { return error.code() == ErrorCode::kTooManyRequests; }
inline bool IsTimeout(const Error& error) { return error.code() == ErrorCode::kTimeout; }
inline bool IsUnavailable(const Error& error) { return error.code() == ErrorCode::kUnavailable; }

namespace apierrors {

Error NotFound(const GroupResource& resource, std::string_view name);
Error AlreadyExists(const GroupResource& resource, std::string_view name);
// No free name was found for metadata.generateName; worth another try.
Error GenerateNameConflict(const GroupResource& resource, std::string_view name, int32_t retry_after_seconds);
// The object changed between being read and being written.
Error Conflict(const GroupResource& resource, std::string_view name);
Error Conflict(const GroupResource& resource, std::string_view name, std::string_view reason);
// Server-side apply met fields of other managers: one cause for each.
Error ApplyConflict(std::string_view message, List<metav1::StatusCause> causes);
// One cause for each broken rule, with its field; the message lists them.
Error Invalid(const GroupKind& kind, std::string_view name, List<metav1::StatusCause> causes);
Error Forbidden(const GroupResource& resource, std::string_view name, std::string_view reason);
Error Unauthorized(std::string_view reason = {});
Error BadRequest(std::string_view reason);
Error MethodNotAllowed(const GroupResource& resource, std::string_view action);
Error NotAcceptable(std::string_view message);
Error UnsupportedMediaType(std::string_view message);
Error RequestEntityTooLarge(std::string_view message);
// The resource version or continue token is too old.
Error Expired(std::string_view message);
Error Gone(std::string_view message);
Error TooManyRequests(std::string_view message, int32_t retry_after_seconds);
Error Timeout(std::string_view message, int32_t retry_after_seconds);
Error ServerTimeout(const GroupResource& resource, std::string_view operation, int32_t retry_after_seconds);
Error ServiceUnavailable(std::string_view reason);
Error Internal(std::string_view message);

}  // namespace apierrors
}  // namespace keelson
