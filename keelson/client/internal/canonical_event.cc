#include "keelson/client/internal/canonical_event.h"

#include <cstddef>
#include <cstdint>

#include "keelson/codec/protobuf_envelope.h"

namespace keelson::internal {

namespace {

// What begins the fields 1, 2 and 3 where they are texts, bytes or messages.
constexpr char kFirst = 1 << 3 | 2;
constexpr char kSecond = 2 << 3 | 2;
constexpr char kThird = 3 << 3 | 2;

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

bool TakeStart(std::string_view& bytes, std::string_view start) {
  if (!bytes.starts_with(start)) return false;
  bytes.remove_prefix(start.size());
  return true;
}

// The text up to the next quotation mark, which is taken off as well. Empty without one.
std::string_view TakeText(std::string_view& bytes) {
  const size_t quote = bytes.find('"');
  if (quote == bytes.npos) return {};
  const std::string_view text = bytes.substr(0, quote);
  bytes.remove_prefix(quote + 1);
  return text;
}

}  // namespace

bool CutCanonicalEvent(std::string_view frame, std::string_view* type, std::string_view* object) {
  if (!frame.ends_with('}') || !TakeStart(frame, R"({"type":")")) return false;
  *type = TakeText(frame);
  if (!TakeStart(frame, R"(,"object":)")) return false;
  frame.remove_suffix(1);
  *object = frame;
  return true;
}

bool CutCanonicalProtobufEvent(std::string_view frame, std::string_view* type, std::string_view* object) {
  std::string_view extension;
  return TakeBytes(frame, kFirst, type) && TakeBytes(frame, kSecond, &extension) && frame.empty() &&
         TakeBytes(extension, kFirst, object) && extension.empty();
}

PeekedName PeekNameInEvent(std::string_view frame) {
  constexpr std::string_view kName = R"("metadata":{"name":")";
  constexpr size_t kFarthest = 160;  // the event's type, the object's kind and version are in front
  const size_t found = frame.substr(0, kFarthest).find(kName);
  if (found == frame.npos) return {};
  frame.remove_prefix(found + kName.size());
  PeekedName peeked;
  peeked.name = TakeText(frame);
  if (TakeStart(frame, R"(,"generateName":")")) TakeText(frame);
  if (TakeStart(frame, R"(,"namespace":")")) peeked.namespace_ = TakeText(frame);
  return peeked;
}

PeekedName PeekNameInProtobufEvent(std::string_view frame) {
  std::string_view type, raw, metadata, generated;
  if (!CutCanonicalProtobufEvent(frame, &type, &raw)) return {};
  const Result<ProtobufEnvelope> envelope = OpenProtobufEnvelope(raw);
  if (!envelope) return {};
  std::string_view object = envelope->raw;
  PeekedName peeked;
  if (!TakeBytes(object, kFirst, &metadata) || !TakeBytes(metadata, kFirst, &peeked.name)) return {};
  TakeBytes(metadata, kSecond, &generated);
  TakeBytes(metadata, kThird, &peeked.namespace_);
  return peeked;
}

}  // namespace keelson::internal
