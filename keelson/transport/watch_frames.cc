#include "keelson/transport/watch_frames.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "keelson/codec/internal/json_scan.h"
#include "keelson/codec/protobuf_envelope.h"

namespace keelson {

namespace {

using Frame = std::optional<std::string_view>;

Error TooLong(size_t limit) {
  return Error::InvalidArgument("a watch frame is longer than the limit of " + std::to_string(limit) + " bytes");
}

class JsonFrames final : public WatchFrameCutter {
 public:
  explicit JsonFrames(size_t max_frame_bytes) : max_frame_bytes_(max_frame_bytes) {}

  void Append(std::string_view bytes) override {
    if (rest_.empty()) {
      rest_ = bytes;
      return;
    }
    std::string joined(rest_);
    joined += bytes;
    unread_ = std::move(joined);
    rest_ = unread_;
  }

  Result<Frame> Next() override {
    if (!status_) return status_.error();
    Result<Frame> frame = Cut();
    if (!frame) status_ = frame.error();
    return frame;
  }

  std::string_view upcoming() const override { return rest_; }

  bool at_boundary() const override { return !inside() && rest_.find_first_not_of(kSpace) == rest_.npos; }

 private:
  static constexpr size_t kKeptCapacity = size_t{1} << 20;
  static constexpr std::string_view kSpace = " \t\r\n";

  bool inside() const { return scan_.depth > 0; }

  Result<Frame> Cut() {
    if (!inside()) {
      partial_.clear();
      if (partial_.capacity() > kKeptCapacity) partial_.shrink_to_fit();
      rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpace), rest_.size()));
      if (rest_.empty()) return Frame();
      if (rest_.front() != '{') {
        return Error::InvalidArgument(
            std::string("a watch is a sequence of JSON objects, each of which begins with '{'; found ") +
            Shown(rest_.front()));
      }
      if (const size_t size = LineWithAnObject(rest_); size != 0) {
        if (size > max_frame_bytes_) return TooLong(max_frame_bytes_);
        const std::string_view line = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return Frame(line);
      }
    }
    const char* const begin = rest_.data();
    const char* const end = internal::JsonScanner().find_end(scan_, begin, begin + rest_.size(), SIZE_MAX);
    const size_t size = end == nullptr ? rest_.size() : static_cast<size_t>(end - begin);
    if (size > max_frame_bytes_ - partial_.size()) return TooLong(max_frame_bytes_);
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    if (end != nullptr && partial_.empty()) return Frame(part);
    partial_ += part;
    if (end == nullptr) return Frame();
    return Frame(partial_);
  }

  // Servers write an object a line and no white space into it: the first closing brace with white space or an opening
  // brace behind it is its end, unless it is inside a text. A line's end is inside no text, and an opening brace
  // follows a closing one only where another object begins. 0 when it is not written so, or the next object is not
  // there yet.
  static size_t LineWithAnObject(std::string_view bytes) {
    const size_t brace = internal::JsonScanner().find_loose_brace(bytes);
    if (brace + 2 >= bytes.size() || bytes[brace + 1] != '\n' || bytes[brace + 2] != '{') return 0;
    return brace + 1;
  }

  static std::string Shown(char c) {
    if (c > ' ' && c < 0x7f) return std::string("'") + c + "'";
    return "byte " + std::to_string(static_cast<uint8_t>(c));
  }

  const size_t max_frame_bytes_;
  internal::JsonScanState scan_;  // of the frame that is open
  std::string partial_;           // what came before rest_ of the frame that is open, or the frame given last
  std::string_view rest_;         // not looked at yet
  std::string unread_;            // owner of rest_ when it was joined
  Result<void> status_;
};

class ProtobufFrames final : public WatchFrameCutter {
 public:
  explicit ProtobufFrames(size_t max_frame_bytes) : cutter_(max_frame_bytes) {}

  void Append(std::string_view bytes) override {
    // Frames that nobody asked for yet may lie in bytes that are about to go.
    for (std::string_view& frame : frames_) frame = kept_.emplace_back(frame);
    const std::less<const char*> before;
    // An error is met behind the frames in front of it: see Next().
    status_ = cutter_.Feed(bytes, [&](std::string_view frame) -> Result<void> {
      const bool borrowed = !before(frame.data(), bytes.data()) && !before(bytes.data() + bytes.size(), frame.data());
      frames_.push_back(borrowed ? frame : std::string_view(kept_.emplace_back(frame)));
      return {};
    });
  }

  Result<Frame> Next() override {
    if (!frames_.empty()) {
      const std::string_view frame = frames_.front();
      frames_.pop_front();
      return Frame(frame);
    }
    kept_.clear();
    if (!status_) return status_.error();
    return Frame();
  }

  std::string_view upcoming() const override { return frames_.empty() ? std::string_view() : frames_.front(); }

  bool at_boundary() const override { return frames_.empty() && cutter_.at_boundary(); }

 private:
  FrameCutter cutter_;
  Result<void> status_;
  std::deque<std::string_view> frames_;
  std::deque<std::string> kept_;  // owners of frames that do not lie in the bytes appended last
};

}  // namespace

std::unique_ptr<WatchFrameCutter> NewJsonWatchFrames(size_t max_frame_bytes) {
  return std::make_unique<JsonFrames>(max_frame_bytes);
}

std::unique_ptr<WatchFrameCutter> NewProtobufWatchFrames(size_t max_frame_bytes) {
  return std::make_unique<ProtobufFrames>(max_frame_bytes);
}

}  // namespace keelson
