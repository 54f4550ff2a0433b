// What Kubernetes puts around a protobuf message: the envelope that says its kind, and the frames of a watch.
//
//   Result<ProtobufEnvelope> envelope = OpenProtobufEnvelope(body);
//   if (envelope && envelope->kind == "Pod") pod = FromProtobuf<corev1::Pod>(envelope->raw);
//
// A body is the four bytes "k8s\0" and a message with apiVersion, kind and the object's own message. A watch is a
// sequence of frames, each a length of four bytes (big end first) and a metav1::WatchEvent, whose object is a body.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "keelson/api/type.h"
#include "keelson/core/result.h"

namespace keelson {

inline constexpr std::string_view kProtobufMagic{"k8s\0", 4};

// Views into the body it was opened from.
struct ProtobufEnvelope {
  std::string_view api_version = {};  // "v1", "apps/v1"
  std::string_view kind = {};
  std::string_view raw = {};               // the object's message
  std::string_view content_encoding = {};  // of `raw`; empty: as it is
  std::string_view content_type = {};      // empty: protobuf
};

inline bool IsProtobufEnvelope(std::string_view body) { return body.starts_with(kProtobufMagic); }

Result<ProtobufEnvelope> OpenProtobufEnvelope(std::string_view body);
Result<ProtobufEnvelope> OpenProtobufEnvelope(std::string&& body) = delete;

// Appends to `out`. The first form is for a root type, whose name it writes.
void AppendProtobufEnvelope(const Type& type, const void* value, std::string& out);
void AppendProtobufEnvelope(const ProtobufEnvelope& envelope, std::string& out);

template <class T>
std::string ToProtobufEnvelope(const T& value) {
  std::string out;
  AppendProtobufEnvelope(TypeOf<T>(), &value, out);
  return out;
}

// Appends a watch frame: the length and the bytes of the event.
void AppendFrame(std::string_view frame, std::string& out);

// Cuts a stream into frames as it arrives. Copies only frames that arrive in more than one part.
class FrameCutter {
 public:
  // What to do with a frame; the view is good during the call. An error ends the stream.
  using FrameHandler = std::function<Result<void>(std::string_view frame)>;

  explicit FrameCutter(size_t max_frame_bytes = size_t{64} << 20) : max_frame_bytes_(max_frame_bytes) {}

  // After an error the cutter gives the same error for whatever else arrives.
  Result<void> Feed(std::string_view bytes, const FrameHandler& handle);
  // Whether the stream may end here: no frame has begun.
  bool at_boundary() const { return partial_.empty(); }

 private:
  Result<void> Cut(std::string_view bytes, const FrameHandler& handle);
  Result<size_t> FrameSize(std::string_view header) const;  // with the header

  const size_t max_frame_bytes_;
  std::string partial_;  // a frame that has begun, with its header
  Result<void> status_;
};

}  // namespace keelson
