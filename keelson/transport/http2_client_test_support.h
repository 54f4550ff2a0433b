// For tests of the HTTP server: a client of HTTP/2 that keeps or breaks each rule as it is told.
//
//   Http2Client client(server->port());
//   const int32_t id = client.Request("GET", "/");
//   EXPECT_EQ(client.Finish(id).status, 200);
#pragma once

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "keelson/transport/http_server_test_support.h"

namespace keelson {

struct Http2Answer {
  int status = 0;
  std::map<std::string, std::string> headers;
  std::string body;
  bool ended = false;
  uint32_t error = 0;  // of the reset that ended it
};

// HTTP/2 by prior knowledge, driven by hand. Used by one thread.
class Http2Client {
 public:
  // With a window other than the default, and no credit given back unless `reads`.
  explicit Http2Client(uint16_t port, uint32_t window = 0, bool reads = true) : socket_(port), reads_(reads) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_session_client_new2(&session_, callbacks, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry entry = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &entry, window == 0 ? 0 : 1);
  }
  ~Http2Client() { nghttp2_session_del(session_); }
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  using Fields = std::vector<std::pair<std::string, std::string>>;

  // Queues a request and returns its stream. With `open_body` the body is not ended.
  int32_t Request(const std::string& method, const std::string& path, std::string body = {}, const Fields& more = {},
                  bool open_body = false) {
    Fields fields = {{":method", method}, {":scheme", "http"}, {":path", path}, {":authority", "test"}};
    fields.insert(fields.end(), more.begin(), more.end());
    std::vector<nghttp2_nv> values;
    for (const auto& [name, value] : fields) {
      values.push_back({.name = reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
                        .value = reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())),
                        .namelen = name.size(),
                        .valuelen = value.size(),
                        .flags = NGHTTP2_NV_FLAG_NONE});
    }
    auto source = std::make_unique<Source>(Source{std::move(body), open_body});
    nghttp2_data_provider provider = {};
    provider.source.ptr = source.get();
    provider.read_callback = ReadSource;
    const bool has_body = !source->left.empty() || open_body;
    const int32_t id = nghttp2_submit_request(session_, nullptr, values.data(), values.size(),
                                              has_body ? &provider : nullptr, nullptr);
    sources_.push_back(std::move(source));
    return id;
  }

  void Flush() {
    const uint8_t* data = nullptr;
    for (ssize_t size; (size = nghttp2_session_mem_send(session_, &data)) > 0;) {
      if (!socket_.Send({reinterpret_cast<const char*>(data), static_cast<size_t>(size)})) return;
    }
  }
  // Sends and receives until that holds. False when the connection ended before.
  bool RunUntil(const std::function<bool()>& holds) {
    while (true) {
      Flush();
      if (holds()) return true;
      const std::string bytes = socket_.Read();
      if (bytes.empty()) {
        closed = true;
        return holds();
      }
      nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    }
  }
  Http2Answer& Finish(int32_t id) {
    RunUntil([&] { return answers[id].ended; });
    return answers[id];
  }
  void Reset(int32_t id, uint32_t error = NGHTTP2_CANCEL) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, error);
  }
  // Gives the server credit for what came so far on that stream.
  void Consume(int32_t id, size_t bytes) { nghttp2_session_consume(session_, id, bytes); }

  nghttp2_session* session() { return session_; }
  RawClient& socket() { return socket_; }

  std::map<int32_t, Http2Answer> answers;
  bool closed = false;
  bool pinged = false;  // a ping was answered
  bool goaway = false;
  uint32_t goaway_error = 0;

 private:
  struct Source {
    std::string left;
    bool open;
  };

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* user) {
    Http2Answer& answer = static_cast<Http2Client*>(user)->answers[frame->hd.stream_id];
    const std::string key(reinterpret_cast<const char*>(name), name_size);
    const std::string text(reinterpret_cast<const char*>(value), value_size);
    if (key == ":status") {
      answer.status = std::stoi(text);
    } else {
      answer.headers[key] = text;
    }
    return 0;
  }
  static int OnData(nghttp2_session* session, uint8_t, int32_t id, const uint8_t* data, size_t size, void* user) {
    Http2Client& self = *static_cast<Http2Client*>(user);
    self.answers[id].body.append(reinterpret_cast<const char*>(data), size);
    if (self.reads_) nghttp2_session_consume(session, id, size);
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Http2Client& self = *static_cast<Http2Client*>(user);
    if (frame->hd.type == NGHTTP2_GOAWAY) {
      self.goaway = true;
      self.goaway_error = frame->goaway.error_code;
    }
    if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) self.pinged = true;
    return 0;
  }
  static int OnClose(nghttp2_session*, int32_t id, uint32_t error, void* user) {
    Http2Answer& answer = static_cast<Http2Client*>(user)->answers[id];
    answer.ended = true;
    answer.error = error;
    return 0;
  }
  static ssize_t ReadSource(nghttp2_session*, int32_t, uint8_t* buffer, size_t size, uint32_t* flags,
                            nghttp2_data_source* source, void*) {
    Source& from = *static_cast<Source*>(source->ptr);
    const size_t part = std::min(size, from.left.size());
    if (part == 0 && from.open) return NGHTTP2_ERR_DEFERRED;
    std::copy_n(from.left.data(), part, reinterpret_cast<char*>(buffer));
    from.left.erase(0, part);
    if (from.left.empty() && !from.open) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(part);
  }

  RawClient socket_;
  const bool reads_;
  nghttp2_session* session_ = nullptr;
  std::vector<std::unique_ptr<Source>> sources_;
};

}  // namespace keelson
