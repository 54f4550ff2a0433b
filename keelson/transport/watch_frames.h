// Cuts the byte stream of a watch into its frames as they complete.
//
//   std::unique_ptr<WatchFrameCutter> frames = NewJsonWatchFrames();
//   while (true) {
//     KEELSON_TRY(bytes, body.Next());
//     if (bytes.empty()) break;                        // cut off in the middle unless frames->at_boundary()
//     frames->Append(bytes);
//     while (true) {
//       KEELSON_TRY(frame, frames->Next());
//       if (!frame) break;
//       Handle(*frame);
//     }
//   }
//
// Every byte is looked at once, however the stream is cut into chunks; a frame that lies whole in a chunk is not
// copied.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "keelson/core/result.h"

namespace keelson {

inline constexpr size_t kMaxWatchFrameBytes = size_t{64} << 20;

// Used by one thread at a time.
class WatchFrameCutter {
 public:
  virtual ~WatchFrameCutter() = default;

  // The next bytes of the stream. They are not copied: they stay as they are until Next() gives nothing. Bytes of an
  // earlier call that Next() was not asked for come first.
  virtual void Append(std::string_view bytes) = 0;
  // The next whole frame, which is valid until the next call of this object; nothing when more bytes are needed. After
  // an error (a frame over the limit, bytes that begin no frame) every call gives the same one.
  virtual Result<std::optional<std::string_view>> Next() = 0;
  // What follows the frame given last, as far as it is there: to look ahead, and good as long as that is.
  virtual std::string_view upcoming() const = 0;
  // Whether the stream may end here: no frame has begun.
  virtual bool at_boundary() const = 0;
};

// One JSON object after another, with white space between them or without. The frames in front of the first that is no
// JSON are whole objects; the JSON reader that gets them finds that one, wherever it was cut.
std::unique_ptr<WatchFrameCutter> NewJsonWatchFrames(size_t max_frame_bytes = kMaxWatchFrameBytes);

// Lengths of four bytes, each with a protobuf message of that length
// (application/vnd.kubernetes.protobuf;stream=watch). The length is not part of the frame.
std::unique_ptr<WatchFrameCutter> NewProtobufWatchFrames(size_t max_frame_bytes = kMaxWatchFrameBytes);

}  // namespace keelson
