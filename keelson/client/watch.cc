#include "keelson/client/watch.h"

#include <cstdint>
#include <string>

#include "keelson/api/access.h"
#include "keelson/api/meta/v1.h"
#include "keelson/api/status_error.h"
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

// {"type":"ADDED","object":…} as servers write it, cut without parsing. A document of that start which goes on behind
// the object is no JSON after this cut, so that its reader finds out.
bool CutCanonical(std::string_view frame, std::string_view* type, std::string_view* object) {
  constexpr std::string_view kStart = "{\"type\":\"";
  constexpr std::string_view kMiddle = "\",\"object\":";
  if (!frame.starts_with(kStart) || !frame.ends_with('}')) return false;
  frame.remove_prefix(kStart.size());
  const size_t quote = frame.find('"');
  if (quote == std::string_view::npos || !frame.substr(quote).starts_with(kMiddle)) return false;
  *type = frame.substr(0, quote);
  *object = frame.substr(quote + kMiddle.size());
  object->remove_suffix(1);
  return true;
}

// Takes the field of this tag, which is followed by its length and bytes, off the front. Of an object's size at most.
bool TakeBytes(std::string_view& message, char tag, std::string_view* bytes) {
  if (message.empty() || message.front() != tag) return false;
  uint64_t length = 0;
  size_t at = 1;
  for (int shift = 0;; shift += 7) {
    if (at == message.size() || shift > 28) return false;
    const auto byte = static_cast<unsigned char>(message[at++]);
    length |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  if (length > message.size() - at) return false;
  *bytes = message.substr(at, length);
  message.remove_prefix(at + length);
  return true;
}

// The same of a WatchEvent in protobuf: its type, and an object that holds nothing but raw bytes.
bool CutCanonicalProtobuf(std::string_view frame, std::string_view* type, std::string_view* object) {
  constexpr char kFirst = 1 << 3 | 2, kSecond = 2 << 3 | 2;
  std::string_view extension;
  return TakeBytes(frame, kFirst, type) && TakeBytes(frame, kSecond, &extension) && frame.empty() &&
         TakeBytes(extension, kFirst, object) && extension.empty();
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

Result<WatchEventType> RawWatch::DecodeJsonFrame(std::string_view frame, void* object) const {
  const JsonReadOptions options{.share_nodes = versions_ != nullptr, .versions = versions_};
  std::string_view text, body;
  if (CutCanonical(frame, &text, &body)) {
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
  if (CutCanonicalProtobuf(frame, &text, &raw)) {
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
