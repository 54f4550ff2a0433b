#include "keelson/client/response_error.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "keelson/api/status_error.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_reader.h"
#include "keelson/core/ascii.h"

namespace keelson::internal {

namespace {

constexpr size_t kMostOfMessage = 2048;

std::optional<metav1::Status> DecodeStatus(std::string_view body) {
  if (IsProtobufEnvelope(body)) {
    const Result<ProtobufEnvelope> envelope = OpenProtobufEnvelope(body);
    if (!envelope || envelope->kind != "Status") return std::nullopt;
    Result<metav1::Status> status = FromProtobuf<metav1::Status>(envelope->raw);
    if (!status) return std::nullopt;
    return *std::move(status);
  }
  const Result<Json> document = ParseJson(body);
  if (!document) return std::nullopt;
  const Json* kind = document->find("kind");
  if (kind == nullptr || !kind->is_string() || kind->string() != "Status") return std::nullopt;
  Result<metav1::Status> status = FromJson<metav1::Status>(body);
  if (!status) return std::nullopt;
  return *std::move(status);
}

bool IsText(const Headers& headers) {
  const std::string_view* type = headers.Find("Content-Type");
  return type != nullptr && type->starts_with("text/");
}

std::string Trimmed(std::string_view text) { return std::string(Trim(text).substr(0, kMostOfMessage)); }

int32_t RetryAfterSeconds(const Headers& headers) {
  const std::string_view* value = headers.Find("Retry-After");
  int32_t seconds = 0;
  if (value != nullptr) std::from_chars(value->data(), value->data() + value->size(), seconds);
  return std::max(seconds, 0);
}

struct Wording {
  std::string_view reason;
  std::string message;
};

Wording WordingOf(int status, std::string_view method, const std::string& said) {
  switch (status) {
    case 400: return {"BadRequest", "the server rejected our request for an unknown reason"};
    case 401: return {"Unauthorized", "the server has asked for the client to provide credentials"};
    case 403: return {"Forbidden", said};
    case 404: return {"NotFound", "the server could not find the requested resource"};
    case 405: return {"MethodNotAllowed", "the server does not allow this method on the requested resource"};
    case 406:
      return {"NotAcceptable", said == "unknown"
                                   ? "the server was unable to respond with a content type that the client supports"
                                   : said};
    case 409: return {method == "POST" ? "AlreadyExists" : "Conflict", "the server reported a conflict"};
    case 415: return {"UnsupportedMediaType", said};
    case 422: return {"Invalid", "the server rejected our request due to an error in our request"};
    case 429:
      return {"TooManyRequests", "the server has received too many requests and has asked us to try again later"};
    case 503: return {"ServiceUnavailable", "the server is currently unable to handle the request"};
    case 504:
      return {"Timeout",
              "the server was unable to return a response in the time allotted, but may still be processing the "
              "request"};
    default: break;
  }
  if (status >= 500) {
    return {"InternalError", "an error on the server (\"" + said + "\") has prevented the request from succeeding"};
  }
  return {"", "the server responded with the status code " + std::to_string(status) +
                  " but did not return more information"};
}

}  // namespace

Error ErrorFromResponse(int status, const Headers& headers, std::string_view body, const RequestSubject& subject) {
  if (std::optional<metav1::Status> told = DecodeStatus(body); told && told->status != "Success") {
    if (told->code == 0) told->code = status;
    if (const int32_t seconds = RetryAfterSeconds(headers);
        seconds > 0 && (!told->details || told->details->retryAfterSeconds == 0)) {
      metav1::StatusDetails details = told->details ? *std::as_const(told->details) : metav1::StatusDetails{};
      details.retryAfterSeconds = seconds;
      told->details = std::move(details);
    }
    return ErrorFromStatus(*std::move(told));
  }
  std::string said = IsText(headers) ? Trimmed(body) : std::string();
  if (said.empty()) said = "unknown";
  Wording wording = WordingOf(status, subject.method, said);
  if (!subject.resource.resource.empty()) {
    std::string method(subject.method);
    std::transform(method.begin(), method.end(), method.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    wording.message += " (" + method + " " + subject.resource.ToString();
    if (!subject.name.empty()) wording.message += " " + std::string(subject.name);
    wording.message += ")";
  }
  metav1::StatusDetails details{.name = subject.name,
                                .group = subject.resource.group,
                                .kind = subject.resource.resource,
                                .causes = {{.reason = "UnexpectedServerResponse", .message = said}},
                                .retryAfterSeconds = RetryAfterSeconds(headers)};
  return ErrorFromStatus({.status = "Failure",
                          .message = wording.message,
                          .reason = wording.reason,
                          .details = std::move(details),
                          .code = status});
}

}  // namespace keelson::internal
