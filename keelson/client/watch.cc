#include "keelson/client/watch.h"

#include <string>

#include "keelson/api/access.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/status_error.h"
#include "keelson/client/internal/canonical_event.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/protobuf_envelope.h"
#include "keelson/codec/protobuf_reader.h"

namespace keelson {

namespace {

constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";

std::optional<WatchEventType> TypeFromText(std::string_view text) {
  for (const WatchEventType type :
       {WatchEventType::kAdded, WatchEventType::kModified, WatchEventType::kDeleted, WatchEventType::kBookmark}) {
    if (text == ToString(type)) return type;
  }
  return std::nullopt;
}

Error ServerError(Result<metav1::Status> status) {
  if (!status) {
    return Error(ErrorCode::kInternal,
                 "the server ended the watch with an error that cannot be read: " + status.error().message());
  }
  return ErrorFromStatus(*std::move(status));
}

}  // namespace

std::string_view ToString(WatchEventType type) {
  switch (type) {
    case WatchEventType::kAdded: return "ADDED";
    case WatchEventType::kModified: return "MODIFIED";
    case WatchEventType::kDeleted: return "DELETED";
    case WatchEventType::kBookmark: return "BOOKMARK";
  }
  return "?";
}

Result<std::unique_ptr<RawWatch>> RawWatch::Open(
    const Type& type, KeptVersions* versions, const StopToken& stop,
    const std::function<Result<HttpResponse>(const StopToken& stop)>& make_response) {
  std::unique_ptr<RawWatch> watch(new RawWatch(type, versions, stop));
  KEELSON_TRY(response, make_response(watch->stop_.token()));
  watch->response_ = std::move(response);
  const std::string_view* media_type = watch->response_.headers.Find("Content-Type");
  watch->protobuf_ = media_type != nullptr && media_type->starts_with(kProtobufMediaType);
  watch->frames_ = watch->protobuf_ ? NewProtobufWatchFrames() : NewJsonWatchFrames();
  return watch;
}

Result<std::optional<WatchEventType>> RawWatch::Next(void* object) {
  if (failure_) return *failure_;
  if (ended_) return std::optional<WatchEventType>();
  Result<std::optional<WatchEventType>> event = Advance(object);
  if (!event) failure_ = event.error();
  if (event && !*event) ended_ = true;
  if (failure_ || ended_) response_.body.reset();  // gives the connection back
  return event;
}

Result<std::optional<WatchEventType>> RawWatch::Advance(void* object) {
  while (true) {
    KEELSON_TRY(frame, frames_->Next());
    if (frame) {
      if (versions_ != nullptr) LookAhead();
      KEELSON_TRY(type, protobuf_ ? DecodeProtobufFrame(*frame, object) : DecodeJsonFrame(*frame, object));
      return std::optional<WatchEventType>(type);
    }
    KEELSON_TRY(bytes, response_.body->Next());
    if (bytes.empty()) {
      if (frames_->at_boundary()) return std::optional<WatchEventType>();
      return Error(ErrorCode::kUnavailable, "the watch was cut off in the middle of an event: watch again");
    }
    frames_->Append(bytes);
  }
}

void RawWatch::LookAhead() const {
  const std::string_view upcoming = frames_->upcoming();
  const internal::PeekedName next =
      protobuf_ ? internal::PeekNameInProtobufEvent(upcoming) : internal::PeekNameInEvent(upcoming);
  if (!next.name.empty()) versions_->Expect(next.namespace_, next.name);
}

Result<WatchEventType> RawWatch::DecodeJsonFrame(std::string_view frame, void* object) const {
  const JsonReadOptions options{.share_nodes = versions_ != nullptr, .versions = versions_};
  std::string_view text, body;
  if (internal::CutCanonicalEvent(frame, &text, &body)) {
    if (const std::optional<WatchEventType> type = TypeFromText(text)) {
      if (DecodeJson(type_, object, body, options)) return *type;
      ResetValue(type_, object);
    }
  }
  KEELSON_TRY(event, FromJson<metav1::WatchEvent>(frame));
  if (event.type == "ERROR") return ServerError(FromJson<metav1::Status>(event.object.raw()));
  const std::optional<WatchEventType> type = TypeFromText(event.type);
  if (!type) return Error::Internal("a watch event has type \"" + event.type.str() + "\", which is not known");
  KEELSON_RETURN_IF_ERROR(DecodeJson(type_, object, event.object.raw(), options));
  return *type;
}

Result<WatchEventType> RawWatch::DecodeProtobufFrame(std::string_view frame, void* object) const {
  const ProtobufReadOptions options{.share_nodes = versions_ != nullptr, .versions = versions_};
  std::string_view text, raw;
  // Reading the event by its table would copy the object, and end what the reader remembers of those before.
  if (internal::CutCanonicalProtobufEvent(frame, &text, &raw)) {
    if (const std::optional<WatchEventType> type = TypeFromText(text)) {
      KEELSON_TRY(envelope, OpenProtobufEnvelope(raw));
      KEELSON_RETURN_IF_ERROR(DecodeProtobuf(type_, object, envelope.raw, options));
      return *type;
    }
  }
  KEELSON_TRY(event, FromProtobuf<metav1::WatchEvent>(frame));
  const std::string_view body = event.object.raw();
  KEELSON_TRY(envelope, OpenProtobufEnvelope(body));
  if (event.type == "ERROR") return ServerError(FromProtobuf<metav1::Status>(envelope.raw));
  const std::optional<WatchEventType> type = TypeFromText(event.type);
  if (!type) return Error::Internal("a watch event has type \"" + event.type.str() + "\", which is not known");
  KEELSON_RETURN_IF_ERROR(DecodeProtobuf(type_, object, envelope.raw, options));
  return *type;
}

}  // namespace keelson
