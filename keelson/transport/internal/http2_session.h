// HTTP/2 on nghttp2: many requests at a time, each with its own flow control.
//
// Defences beyond those of nghttp2: requests run only after all the bytes at hand are parsed, so those reset in the
// same breath cost no handler; resets and control frames have a budget; handlers whose stream is gone still count as
// streams; bodies and untaken answers of one connection are bounded together.
#pragma once

#include <nghttp2/nghttp2.h>

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "keelson/transport/internal/http_session.h"
#include "keelson/transport/internal/token_bucket.h"

namespace keelson::internal {

class Http2Session final : public HttpSession {
 public:
  Http2Session(SessionHost& host, TimePoint opened);
  ~Http2Session() override;

  void Receive(std::string_view bytes) override;
  void EndInput() override;
  void AnswerChanged(Exchange& exchange) override;
  void Advance() override;
  void Expire(TimePoint now) override;
  void Drain() override;
  void Abandon() override;
  bool wants_input() const override;
  bool done() const override;

 private:
  struct Stream {
    int32_t id = 0;
    ServerRequest request;
    std::string target;
    size_t header_bytes = 0;
    bool complete = false;   // the client has sent all of it
    bool dropped = false;    // reset for want of room, whatever else comes
    bool streaming = false;  // the answer has no known end
    bool submitted = false;  // the answer's head is with nghttp2
    std::shared_ptr<Exchange> exchange;
    uint64_t length_left = 0;  // of an answer with a Content-Length
    bool has_length = false;
    TimePoint opened;
    TimePoint progress;  // when a byte of the answer last went out
  };

  // nghttp2's callbacks; `user` is the session.
  static const nghttp2_session_callbacks* Callbacks();
  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t flags, void* user);
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static int OnData(nghttp2_session*, uint8_t flags, int32_t id, const uint8_t* data, size_t size, void* user);
  static int OnStreamClose(nghttp2_session*, int32_t id, uint32_t error, void* user);
  static int OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static ssize_t ReadBody(nghttp2_session*, int32_t id, uint8_t* buffer, size_t size, uint32_t* flags,
                          nghttp2_data_source* source, void* user);
  static int SendBody(nghttp2_session*, nghttp2_frame* frame, const uint8_t* head, size_t size,
                      nghttp2_data_source* source, void* user);
  static ssize_t BodyFrameSize(nghttp2_session*, uint8_t, int32_t, int32_t, int32_t, uint32_t max_frame, void*);

  Stream* Find(int32_t id);
  void CompleteRequest(Stream& stream);
  // An answer of our own; the rest of the request is not waited for.
  void Refuse(Stream& stream, int status, const std::string& message);
  void Submit(Stream& stream);
  void Reset(int32_t id, uint32_t error);
  // Takes from the budget of control frames; the connection ends when there is none left.
  void CountControlFrame();
  // Says goodbye, and lets nothing more in.
  void Terminate(uint32_t error);
  // The same, and waits for nothing.
  void End(uint32_t error);
  void RunReady();
  void Send();
  size_t UntakenBytes() const;

  SessionHost& host_;
  const HttpServerOptions& options_;
  nghttp2_session* session_ = nullptr;
  bool terminated_ = false;
  bool ended_ = false;
  bool draining_ = false;
  bool input_ended_ = false;
  bool greeted_ = false;  // the client's settings came

  std::unordered_map<int32_t, std::unique_ptr<Stream>> streams_;
  std::vector<int32_t> ready_;  // complete requests that the handler has not seen
  size_t body_bytes_ = 0;       // of requests that are not complete or not handled yet
  // Each writer that a handler holds holds it too.
  const std::shared_ptr<const int> alive_ = std::make_shared<const int>(0);

  const TimePoint opened_;
  TimePoint idle_since_;
  std::optional<TimePoint> header_since_;  // a header has begun and not ended
  TokenBucket resets_;
  TokenBucket control_frames_;
};

}  // namespace keelson::internal
