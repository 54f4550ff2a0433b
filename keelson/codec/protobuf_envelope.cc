#include "keelson/codec/protobuf_envelope.h"

#include <algorithm>
#include <utility>

#include "keelson/codec/internal/protobuf_scalars.h"

namespace keelson {

namespace {

using internal::BackwardWriter;
using internal::WireType;
using Input = internal::ProtobufInput;

constexpr size_t kFrameHeader = 4;

Input InputOf(std::string_view bytes) {
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  return {at, at + bytes.size()};
}
std::string_view ViewOf(const Input& in) { return {reinterpret_cast<const char*>(in.at), in.left()}; }

// Around the message that has been written; the views of `envelope` but for `raw`.
void PrependEnvelope(const ProtobufEnvelope& envelope, size_t raw_mark, bool has_raw, BackwardWriter& out) {
  if (has_raw) out.PrependHeader(2, raw_mark);
  const size_t mark = out.size();
  out.PrependBytesField(2, envelope.kind);
  out.PrependBytesField(1, envelope.api_version);
  out.PrependHeader(1, mark);
  out.Prepend(kProtobufMagic);
}

void PrependContent(const ProtobufEnvelope& envelope, BackwardWriter& out) {
  out.PrependBytesField(4, envelope.content_type);
  out.PrependBytesField(3, envelope.content_encoding);
}

// A field of less than 128 bytes.
bool TakeShortField(Input& in, uint32_t number, std::string_view* view) {
  if (in.left() < 2 || in.at[0] != internal::MakeTag(number, WireType::kBytes)) return false;
  const size_t length = in.at[1];
  if (length >= 0x80 || length > in.left() - 2) return false;
  *view = {reinterpret_cast<const char*>(in.at + 2), length};
  in.at += 2 + length;
  return true;
}

bool IsAscii(std::string_view text, const Input& in) {
  const auto* at = reinterpret_cast<const uint8_t*>(text.data());
  return internal::IsShortAscii(at, text.size(), static_cast<size_t>(in.end - at));
}

// An envelope as servers write it: its fields in order, each once. False where it is any other, or malformed.
bool OpenUsualEnvelope(Input in, ProtobufEnvelope* envelope) {
  std::string_view type;
  if (!TakeShortField(in, 1, &type)) return false;
  Input names = InputOf(type);
  if (!TakeShortField(names, 1, &envelope->api_version) || !TakeShortField(names, 2, &envelope->kind) ||
      !names.done() || !IsAscii(type, in)) {
    return false;
  }
  if (in.done() || in.at[0] != internal::MakeTag(2, WireType::kBytes)) return false;
  uint64_t length = 0;
  in.at = internal::ReadVarint(in.at + 1, in.end, &length);
  if (in.at == nullptr || length > in.left()) return false;
  envelope->raw = {reinterpret_cast<const char*>(in.at), length};
  in.at += length;
  // No content encoding, no content type.
  return ViewOf(in) == std::string_view("\x1a\0\x22\0", 4);
}

}  // namespace

Result<ProtobufEnvelope> OpenProtobufEnvelope(std::string_view body) {
  if (!IsProtobufEnvelope(body)) {
    return Error::InvalidArgument(
        "expected a Kubernetes protobuf body, which begins with \"k8s\\0\"; found something else");
  }
  ProtobufEnvelope envelope;
  const Input message = InputOf(body.substr(kProtobufMagic.size()));
  if (OpenUsualEnvelope(message, &envelope)) return envelope;
  envelope = {};
  internal::ProtobufScalars reader;
  const auto read_type = [&](uint32_t number, WireType wire, Input& in, bool* known) {
    if (number == 1) return reader.ReadView(in, wire, true, &envelope.api_version) || reader.FailAt("apiVersion");
    if (number == 2) return reader.ReadView(in, wire, true, &envelope.kind) || reader.FailAt("kind");
    *known = false;
    return true;
  };
  const auto read_field = [&](uint32_t number, WireType wire, Input& in, bool* known) {
    Input bytes;
    switch (number) {
      case 1: return reader.ReadBytes(in, wire, &bytes) && reader.ReadSmallMessage(bytes, read_type);
      case 2:
        if (!reader.ReadBytes(in, wire, &bytes)) return reader.FailAt("raw");
        envelope.raw = ViewOf(bytes);
        return true;
      case 3: return reader.ReadView(in, wire, true, &envelope.content_encoding) || reader.FailAt("contentEncoding");
      case 4: return reader.ReadView(in, wire, true, &envelope.content_type) || reader.FailAt("contentType");
      default: *known = false; return true;
    }
  };
  if (!reader.ReadSmallMessage(message, read_field)) {
    return Error::InvalidArgument("cannot read the protobuf envelope: " + reader.Description());
  }
  return envelope;
}

void AppendProtobufEnvelope(const Type& type, const void* value, std::string& out) {
  std::string api_version(type.group);
  if (!api_version.empty()) api_version += '/';
  api_version += type.version;
  const ProtobufEnvelope envelope = {
      .api_version = api_version, .kind = type.object_kind, .raw = {}, .content_encoding = {}, .content_type = {}};
  BackwardWriter writer(out);
  PrependContent(envelope, writer);
  const size_t mark = writer.size();
  internal::PrependProtobuf(type, value, writer);
  PrependEnvelope(envelope, mark, true, writer);
  writer.Finish();
}

void AppendProtobufEnvelope(const ProtobufEnvelope& envelope, std::string& out) {
  BackwardWriter writer(out);
  PrependContent(envelope, writer);
  const size_t mark = writer.size();
  writer.Prepend(envelope.raw);
  PrependEnvelope(envelope, mark, !envelope.raw.empty(), writer);
  writer.Finish();
}

void AppendFrame(std::string_view frame, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(frame.size() >> shift);
  out += frame;
}

Result<size_t> FrameCutter::FrameSize(std::string_view header) const {
  size_t length = 0;
  for (size_t i = 0; i < kFrameHeader; ++i) length = length << 8 | static_cast<uint8_t>(header[i]);
  if (length > max_frame_bytes_) {
    return Error::InvalidArgument("a watch frame of " + std::to_string(length) + " bytes is longer than the limit of " +
                                  std::to_string(max_frame_bytes_));
  }
  return kFrameHeader + length;
}

Result<void> FrameCutter::Feed(std::string_view bytes, const FrameHandler& handle) {
  if (status_) status_ = Cut(bytes, handle);
  return status_;
}

Result<void> FrameCutter::Cut(std::string_view bytes, const FrameHandler& handle) {
  const auto take = [&](size_t wanted) {
    const size_t taken = std::min(bytes.size(), wanted - std::min(wanted, partial_.size()));
    partial_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    return partial_.size() >= wanted;
  };
  if (!partial_.empty()) {
    if (!take(kFrameHeader)) return {};
    KEELSON_TRY(size, FrameSize(partial_));
    if (!take(size)) return {};
    const std::string frame = std::exchange(partial_, {});
    KEELSON_RETURN_IF_ERROR(handle(std::string_view(frame).substr(kFrameHeader)));
  }
  while (bytes.size() >= kFrameHeader) {
    KEELSON_TRY(size, FrameSize(bytes));
    if (bytes.size() < size) break;
    KEELSON_RETURN_IF_ERROR(handle(bytes.substr(kFrameHeader, size - kFrameHeader)));
    bytes.remove_prefix(size);
  }
  partial_ = bytes;
  return {};
}

}  // namespace keelson
