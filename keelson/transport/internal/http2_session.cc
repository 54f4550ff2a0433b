#include "keelson/transport/internal/http2_session.h"

#include <algorithm>
#include <array>
#include <utility>

#include "keelson/core/ascii.h"
#include "keelson/core/clock.h"

namespace keelson::internal {

namespace {

constexpr uint32_t kReceiveWindow = 1 << 20;
constexpr size_t kMaxBodyFrame = 64 << 10;
// A client that cancels watches all day stays far below both; an attack is above at once.
constexpr double kResetBurst = 500, kResetsPerSecond = 100;
constexpr double kControlBurst = 1000, kControlPerSecond = 100;
// A handler may let go of its writer a little later than its stream ends.
constexpr size_t kLiveHandlers = 2;
// How many times too large a header must be when it ends the connection
// and not only its request.
constexpr size_t kHopelessHeader = 16;

std::string_view View(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

nghttp2_nv Field(std::string_view name, std::string_view value) {
  return {.name = reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          .value = reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())),
          .namelen = name.size(),
          .valuelen = value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

// Those that speak of a connection have no place in HTTP/2.
bool IsOfConnection(std::string_view name) {
  for (const std::string_view other :
       {"Connection", "Transfer-Encoding", "Keep-Alive", "Upgrade", "Proxy-Connection"}) {
    if (EqualsIgnoringCase(name, other)) return true;
  }
  return false;
}

}  // namespace

const nghttp2_session_callbacks* Http2Session::Callbacks() {
  static const nghttp2_session_callbacks* const callbacks = [] {
    nghttp2_session_callbacks* made = nullptr;
    nghttp2_session_callbacks_new(&made);
    nghttp2_session_callbacks_set_on_begin_headers_callback(made, OnBeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(made, OnHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, OnFrame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, OnStreamClose);
    nghttp2_session_callbacks_set_on_frame_send_callback(made, OnFrameSent);
    nghttp2_session_callbacks_set_send_data_callback(made, SendBody);
    nghttp2_session_callbacks_set_data_source_read_length_callback(made, BodyFrameSize);
    return made;  // lives as long as the process
  }();
  return callbacks;
}

Http2Session::Http2Session(SessionHost& host, TimePoint opened)
    : host_(host),
      options_(host.options()),
      opened_(opened),
      idle_since_(Clock::Now()),
      resets_(kResetBurst, kResetsPerSecond, idle_since_),
      control_frames_(kControlBurst, kControlPerSecond, idle_since_) {
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_session_server_new2(&session_, Callbacks(), this, option);
  nghttp2_option_del(option);
  const std::array settings = {
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options_.max_streams},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kReceiveWindow},
      nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(options_.max_header_bytes)},
  };
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kReceiveWindow);
  host_.Schedule(SaturatingAdd(opened_, options_.header_timeout));
}

Http2Session::~Http2Session() { nghttp2_session_del(session_); }

void Http2Session::Receive(std::string_view bytes) {
  if (ended_ || terminated_) return;
  const ssize_t used = nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  // Most breaches of the protocol are answered by nghttp2 itself; what is left is a client that speaks something else.
  if (used < 0) End(used == NGHTTP2_ERR_FLOODED ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR);
}

void Http2Session::EndInput() {
  input_ended_ = true;
  ended_ = true;  // without its window updates nothing can be finished
}

bool Http2Session::wants_input() const {
  return !input_ended_ && !ended_ && nghttp2_session_want_read(session_) != 0 && host_.output().size() < kOutputBound;
}

bool Http2Session::done() const {
  if (ended_) return true;
  return nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
}

void Http2Session::Advance() {
  if (!ended_ && !terminated_) RunReady();
  Send();
}

void Http2Session::Send() {
  OutputQueue& output = host_.output();
  while (output.size() < kOutputBound && !input_ended_) {
    const uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &data);
    if (size < 0) ended_ = true;
    if (size <= 0) return;
    output.Append(View(data, static_cast<size_t>(size)));
  }
}

void Http2Session::Terminate(uint32_t error) {
  if (std::exchange(terminated_, true)) return;
  nghttp2_session_terminate_session(session_, error);
}

void Http2Session::End(uint32_t error) {
  if (ended_) return;
  Terminate(error);
  Send();
  ended_ = true;
}

Http2Session::Stream* Http2Session::Find(int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

int Http2Session::OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  Http2Session& self = *static_cast<Http2Session*>(user);
  if (frame->hd.type != NGHTTP2_HEADERS) return 0;
  const TimePoint now = Clock::Now();
  if ((frame->hd.flags & NGHTTP2_FLAG_END_HEADERS) == 0) {
    self.header_since_ = now;
    self.host_.Schedule(SaturatingAdd(now, self.options_.header_timeout));
  }
  if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  auto stream = std::make_unique<Stream>();
  stream->id = frame->hd.stream_id;
  stream->opened = stream->progress = now;
  self.streams_.emplace(stream->id, std::move(stream));
  return 0;
}

int Http2Session::OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name_data, size_t name_size,
                           const uint8_t* value_data, size_t value_size, uint8_t, void* user) {
  Http2Session& self = *static_cast<Http2Session*>(user);
  Stream* stream = self.Find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  stream->header_bytes += name_size + value_size + 32;
  if (stream->header_bytes > self.options_.max_header_bytes) {
    if (stream->header_bytes > self.options_.max_header_bytes * kHopelessHeader) {
      self.Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
    }
    return 0;
  }
  if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;  // trailers
  const std::string_view name = View(name_data, name_size);
  const std::string_view value = View(value_data, value_size);
  ServerRequest& request = stream->request;
  if (name == ":method") {
    request.method = value;
  } else if (name == ":path") {
    stream->target = value;
  } else if (name == ":authority") {
    request.headers.Set("host", value);
  } else if (!name.starts_with(':') && !(name == "host" && request.headers.Find("host") != nullptr)) {
    request.headers.Add(name, value);
  }
  return 0;
}

int Http2Session::OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  Http2Session& self = *static_cast<Http2Session*>(user);
  const bool end_stream = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  switch (frame->hd.type) {
    case NGHTTP2_HEADERS: {
      self.header_since_.reset();
      Stream* stream = self.Find(frame->hd.stream_id);
      if (stream == nullptr) return 0;
      uint64_t length = 0;
      if (stream->header_bytes > self.options_.max_header_bytes) {
        self.Refuse(*stream, 431,
                    "the request's header is larger than the " + std::to_string(self.options_.max_header_bytes) +
                        " bytes allowed");
      } else if (FindContentLength(stream->request.headers, length) && length > self.options_.max_body_bytes) {
        self.Refuse(
            *stream, 413,
            "the request's body is larger than the " + std::to_string(self.options_.max_body_bytes) + " bytes allowed");
      }
      if (end_stream) {
        self.CompleteRequest(*stream);
      } else {
        self.host_.Schedule(SaturatingAdd(Clock::Now(), self.options_.body_timeout));
        const std::string_view* expect = stream->request.headers.Find("expect");
        if (expect != nullptr && stream->exchange == nullptr && EqualsIgnoringCase(*expect, "100-continue")) {
          const nghttp2_nv status = Field(":status", "100");
          nghttp2_submit_headers(self.session_, NGHTTP2_FLAG_NONE, stream->id, nullptr, &status, 1, nullptr);
        }
      }
      return 0;
    }
    case NGHTTP2_DATA: {
      if (frame->hd.length == 0 && !end_stream) self.CountControlFrame();
      if (Stream* stream = self.Find(frame->hd.stream_id); stream != nullptr && end_stream) {
        self.CompleteRequest(*stream);
      }
      return 0;
    }
    case NGHTTP2_SETTINGS:
      if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
        self.greeted_ = true;
        self.host_.Schedule(SaturatingAdd(self.idle_since_, self.options_.idle_timeout));
      }
      self.CountControlFrame();
      return 0;
    case NGHTTP2_PING:
    case NGHTTP2_PRIORITY: self.CountControlFrame(); return 0;
    default: return 0;
  }
}

int Http2Session::OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* user) {
  Http2Session& self = *static_cast<Http2Session*>(user);
  Stream* stream = self.Find(id);
  if (stream == nullptr || stream->exchange != nullptr || stream->dropped) return 0;  // its body is of no interest
  std::string& body = stream->request.body;
  if (size > self.options_.max_body_bytes - body.size()) {
    self.Refuse(
        *stream, 413,
        "the request's body is larger than the " + std::to_string(self.options_.max_body_bytes) + " bytes allowed");
    return 0;
  }
  if (self.body_bytes_ + size > std::max(self.options_.write_buffer, 2 * self.options_.max_body_bytes)) {
    self.Reset(id, NGHTTP2_REFUSED_STREAM);  // the client may try again
    self.body_bytes_ -= body.size();
    body = {};
    stream->dropped = true;
    return 0;
  }
  body.append(View(data, size));
  self.body_bytes_ += size;
  return 0;
}

void Http2Session::CompleteRequest(Stream& stream) {
  stream.complete = true;
  if (stream.exchange == nullptr && !stream.dropped) ready_.push_back(stream.id);
}

void Http2Session::CountControlFrame() {
  if (!control_frames_.Take(Clock::Now())) Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
}

int Http2Session::OnStreamClose(nghttp2_session*, int32_t id, uint32_t error, void* user) {
  Http2Session& self = *static_cast<Http2Session*>(user);
  const auto found = self.streams_.find(id);
  if (found == self.streams_.end()) return 0;
  const std::unique_ptr<Stream> stream = std::move(found->second);
  self.streams_.erase(found);
  self.body_bytes_ -= stream->request.body.size();
  // Whoever made the reset: a client can make us send one too.
  if (error != NGHTTP2_NO_ERROR && !self.resets_.Take(Clock::Now())) {
    self.Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
  }
  // An answer that went out whole may still lie in the output queue: its handler has nothing more to hear.
  if (stream->exchange != nullptr && (error != NGHTTP2_NO_ERROR || !stream->exchange->state().finished)) {
    stream->exchange->Cut();
  }
  if (self.streams_.empty()) {
    self.idle_since_ = Clock::Now();
    self.host_.Schedule(SaturatingAdd(self.idle_since_, self.options_.idle_timeout));
  }
  return 0;
}

int Http2Session::OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  Http2Session& self = *static_cast<Http2Session*>(user);
  if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
  Stream* stream = self.Find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  stream->progress = Clock::Now();
  if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 && !stream->complete) {
    // The answer is whole and the rest of the request not wanted.
    nghttp2_submit_rst_stream(self.session_, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_NO_ERROR);
  }
  return 0;
}

void Http2Session::Refuse(Stream& stream, int status, const std::string& message) {
  if (stream.exchange != nullptr) return;
  body_bytes_ -= stream.request.body.size();
  stream.request.body.clear();
  stream.exchange = std::make_shared<Exchange>(host_.owner(), stream.id, stream.request.method == "HEAD");
  stream.exchange->BeginInline();
  stream.exchange->Start(status, {{"content-type", "text/plain; charset=utf-8"}});
  stream.exchange->Write(message + "\n");
  stream.exchange->Finish();
  stream.exchange->EndInline();
  Submit(stream);
}

void Http2Session::Reset(int32_t id, uint32_t error) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, error);
}

size_t Http2Session::UntakenBytes() const {
  size_t bytes = 0;
  for (const auto& [id, stream] : streams_) {
    if (stream->exchange != nullptr) bytes += stream->exchange->pending();
  }
  return bytes;
}

void Http2Session::RunReady() {
  if (ready_.empty() || UntakenBytes() > options_.write_buffer) return;
  // The handler may take long: what else it causes comes by AnswerChanged.
  std::vector<int32_t> ready = std::exchange(ready_, {});
  for (const int32_t id : ready) {
    Stream* stream = Find(id);
    if (stream == nullptr) continue;  // reset meanwhile
    if (static_cast<size_t>(alive_.use_count()) > kLiveHandlers * options_.max_streams) {
      Reset(id, NGHTTP2_REFUSED_STREAM);
      continue;
    }
    ServerRequest request = std::move(stream->request);
    body_bytes_ -= request.body.size();
    stream->request = {};
    if (!SplitTarget(stream->target, request.method, request.path, request.query)) {
      stream->request.method = request.method;
      Refuse(*stream, 400, "malformed request: expected a path that begins with /");
      continue;
    }
    request.peer = host_.peer();
    stream->exchange = std::make_shared<Exchange>(host_.owner(), id, request.method == "HEAD");
    RunHandler(host_, std::move(request), stream->exchange, alive_);
    AnswerChanged(*stream->exchange);
  }
}

void Http2Session::AnswerChanged(Exchange& exchange) {
  Stream* stream = Find(exchange.id());
  if (stream == nullptr || stream->exchange.get() != &exchange) return;
  const Exchange::State state = exchange.state();
  if (!stream->submitted) {
    if (state.started) {
      Submit(*stream);
    } else if (state.broken) {
      Reset(stream->id, NGHTTP2_INTERNAL_ERROR);
    }
    return;
  }
  if (state.broken && state.available == 0) {
    Reset(stream->id, NGHTTP2_INTERNAL_ERROR);
    return;
  }
  if (state.finished) {
    stream->progress = Clock::Now();
    host_.Schedule(SaturatingAdd(stream->progress, options_.body_timeout));
  }
  nghttp2_session_resume_data(session_, stream->id);
}

void Http2Session::Submit(Stream& stream) {
  const Exchange::State state = stream.exchange->state();
  const auto [status, headers] = stream.exchange->TakeHead();
  stream.submitted = true;
  stream.progress = Clock::Now();
  stream.has_length = FindContentLength(headers, stream.length_left);
  const bool has_body = !state.no_body && !(state.finished && state.available == 0 && stream.length_left == 0);
  stream.streaming = has_body && !stream.has_length && !state.finished;

  const std::string status_text = std::to_string(status);
  const std::string date = HttpDate();
  const std::string length = std::to_string(state.available);
  std::vector<std::pair<std::string_view, std::string>> safe;
  safe.reserve(headers.size());
  std::vector<nghttp2_nv> fields;
  fields.reserve(headers.size() + 3);
  fields.push_back(Field(":status", status_text));
  for (const auto& [name, value] : headers) {
    if (!IsToken(name) || IsOfConnection(name)) continue;
    if (!stream.has_length && EqualsIgnoringCase(name, "Content-Length")) continue;  // not a number
    safe.emplace_back(name, SafeFieldValue(value));
    fields.push_back(Field(safe.back().first, safe.back().second));
  }
  if (headers.Find("Date") == nullptr) fields.push_back(Field("date", date));
  if (!stream.has_length && state.finished && !state.no_body) {
    stream.has_length = true;
    stream.length_left = state.available;
    fields.push_back(Field("content-length", length));
  }
  nghttp2_data_provider provider = {};
  provider.source.ptr = &stream;
  provider.read_callback = ReadBody;
  nghttp2_submit_response(session_, stream.id, fields.data(), fields.size(), has_body ? &provider : nullptr);
  if (!stream.streaming) host_.Schedule(SaturatingAdd(stream.progress, options_.body_timeout));
  if (draining_ && stream.streaming) stream.exchange->TellClosed();
}

ssize_t Http2Session::BodyFrameSize(nghttp2_session*, uint8_t, int32_t, int32_t connection_window,
                                    int32_t stream_window, uint32_t max_frame, void*) {
  const int64_t window = std::min(connection_window, stream_window);
  return static_cast<ssize_t>(std::min<int64_t>({window, max_frame, static_cast<int64_t>(kMaxBodyFrame)}));
}

// Says how much of the body the next frame may have. The bytes themselves are moved by SendBody.
ssize_t Http2Session::ReadBody(nghttp2_session*, int32_t, uint8_t*, size_t size, uint32_t* flags,
                               nghttp2_data_source* source, void*) {
  const Stream& stream = *static_cast<Stream*>(source->ptr);
  const Exchange::State state = stream.exchange->state();
  if (stream.has_length &&
      (state.available > stream.length_left || (state.finished && state.available < stream.length_left))) {
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // not what the handler had promised: resets the stream
  }
  if (state.available == 0 && !state.finished) {
    return state.broken ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE : NGHTTP2_ERR_DEFERRED;
  }
  const size_t part = std::min(size, state.available);
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (state.finished && part == state.available) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(part);
}

int Http2Session::SendBody(nghttp2_session*, nghttp2_frame*, const uint8_t* head, size_t size,
                           nghttp2_data_source* source, void* user) {
  Http2Session& self = *static_cast<Http2Session*>(user);
  Stream& stream = *static_cast<Stream*>(source->ptr);
  self.host_.output().Append(View(head, 9), stream.exchange);
  stream.exchange->Take(size, self.host_.output());
  if (stream.has_length) stream.length_left -= size;
  return 0;
}

void Http2Session::Expire(TimePoint now) {
  if (ended_) return;
  const auto expired = [&](TimePoint since, Duration limit) {
    const TimePoint deadline = SaturatingAdd(since, limit);
    if (deadline <= now) return true;
    host_.Schedule(deadline);
    return false;
  };
  if (!greeted_ && expired(opened_, options_.header_timeout)) return End(NGHTTP2_SETTINGS_TIMEOUT);
  if (header_since_ && expired(*header_since_, options_.header_timeout)) return End(NGHTTP2_ENHANCE_YOUR_CALM);
  if (streams_.empty() && expired(idle_since_, options_.idle_timeout)) return End(NGHTTP2_NO_ERROR);
  for (const auto& [id, stream] : streams_) {
    if (!stream->complete && stream->exchange == nullptr && !stream->dropped) {
      if (expired(stream->opened, options_.body_timeout)) Refuse(*stream, 408, "the body did not arrive in time");
      continue;
    }
    if (!stream->submitted) continue;
    const Exchange::State state = stream->exchange->state();
    const bool ends_by_itself = stream->streaming && !state.finished && !state.broken;
    // Bytes that the window of the stream has kept here; those before the socket are the connection's matter.
    if (!ends_by_itself && state.available > 0 && expired(stream->progress, options_.body_timeout)) {
      Reset(id, NGHTTP2_CANCEL);
    }
  }
}

void Http2Session::Drain() {
  draining_ = true;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_),
                        NGHTTP2_NO_ERROR, nullptr, 0);
  std::vector<std::shared_ptr<Exchange>> streaming;
  for (const auto& [id, stream] : streams_) {
    if (stream->streaming) streaming.push_back(stream->exchange);
  }
  for (const std::shared_ptr<Exchange>& exchange : streaming) exchange->TellClosed();
}

void Http2Session::Abandon() {
  ended_ = true;
  const auto streams = std::exchange(streams_, {});
  for (const auto& [id, stream] : streams) {
    if (stream->exchange != nullptr) stream->exchange->Cut();
  }
}

std::unique_ptr<HttpSession> MakeHttp2Session(SessionHost& host, TimePoint opened) {
  return std::make_unique<Http2Session>(host, opened);
}

}  // namespace keelson::internal
