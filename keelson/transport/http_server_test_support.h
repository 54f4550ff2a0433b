// For tests of the HTTP server: handlers made of functions, and clients that can do what no library lets one do.
//
//   FunctionHandler handler([](ServerRequest request, std::shared_ptr<ResponseWriter> response) { … });
//   auto server = HttpServer::Start(handler).value();
//   RawClient client(server->port());
//   client.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
//   RawAnswer answer = client.ReadAnswer();
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/core/clock.h"
#include "keelson/core/cond_var.h"
#include "keelson/core/mutex.h"
#include "keelson/transport/handler.h"
#include "keelson/transport/http_server.h"

namespace keelson {

// Longer than anything here takes, even under a sanitizer on a busy machine.
inline constexpr auto kPatience = std::chrono::seconds(30);

class FunctionHandler final : public HttpHandler {
 public:
  using Function = std::function<void(ServerRequest, std::shared_ptr<ResponseWriter>)>;
  explicit FunctionHandler(Function function) : function_(std::move(function)) {}
  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    function_(std::move(request), std::move(response));
  }

 private:
  const Function function_;
};

// Answers with what it was asked.
inline void Echo(ServerRequest request, std::shared_ptr<ResponseWriter> response) {
  std::string text = request.method + ' ' + request.path + " ?" + request.query + '\n' + request.body;
  Respond(*response, 200, "text/plain", std::move(text));
}

inline std::unique_ptr<HttpServer> StartOrDie(HttpHandler& handler, HttpServerOptions options = {}) {
  Result<std::unique_ptr<HttpServer>> server = HttpServer::Start(handler, std::move(options));
  EXPECT_TRUE(server.has_value()) << (server ? "" : server.error().message());
  return *std::move(server);
}

// For what nobody announces: looks again and again.
inline bool Eventually(const std::function<bool()>& holds) {
  const TimePoint deadline = Clock::Now() + kPatience;
  while (!holds()) {
    if (Clock::Now() > deadline) return false;
    SleepFor(std::chrono::milliseconds(1), StopToken());
  }
  return true;
}

// A value that one thread sets and another waits for.
template <class T>
class Awaited {
 public:
  void Set(T value) {
    MutexLock lock(mutex_);
    value_ = std::move(value);
    changed_.NotifyAll();
  }
  // Null when it did not come.
  std::optional<T> Wait() {
    MutexLock lock(mutex_);
    (void)changed_.WaitFor(lock, kPatience, StopToken(), [&] { return value_.has_value(); });
    return value_;
  }
  bool IsSet() {
    MutexLock lock(mutex_);
    return value_.has_value();
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::optional<T> value_;
};

// Counts from any thread; another waits for a number.
class Counted {
 public:
  void Add(int64_t n = 1) {
    MutexLock lock(mutex_);
    count_ += n;
    changed_.NotifyAll();
  }
  bool WaitFor(int64_t at_least) {
    MutexLock lock(mutex_);
    return changed_.WaitFor(lock, kPatience, StopToken(), [&] { return count_ >= at_least; }) == Wake::kReady;
  }
  int64_t get() {
    MutexLock lock(mutex_);
    return count_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int64_t count_ = 0;
};

struct RawAnswer {
  int status = 0;
  std::string head;
  std::string body;
  bool complete = false;
};

// A socket and nothing else.
class RawClient {
 public:
  // `receive_buffer`: the socket's, for clients that shall seem slow.
  explicit RawClient(uint16_t port, int receive_buffer = 0) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~RawClient() { Close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // False when the server has gone.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t put = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (put <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(put));
    }
    return true;
  }
  void CloseWriting() { shutdown(socket_, SHUT_WR); }
  void Close() {
    if (socket_ >= 0) close(std::exchange(socket_, -1));
  }

  // Some bytes; empty at the end, at an error, or when none come.
  std::string Read(size_t max = 64 << 10) {
    pollfd waiting = {.fd = socket_, .events = POLLIN, .revents = 0};
    const int patience = static_cast<int>(std::chrono::milliseconds(kPatience).count());
    if (poll(&waiting, 1, patience) <= 0) {
      ADD_FAILURE() << "the server sent nothing";
      return {};
    }
    std::string bytes(max, '\0');
    const ssize_t got = recv(socket_, bytes.data(), bytes.size(), 0);
    bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return bytes;
  }
  std::string ReadToEnd() {
    std::string all = std::exchange(buffer_, {});
    for (std::string bytes = Read(); !bytes.empty(); bytes = Read()) all += bytes;
    return all;
  }
  // Until that text has come, which is included.
  std::string ReadUntil(std::string_view text) {
    while (true) {
      if (const size_t found = buffer_.find(text); found != std::string::npos) {
        std::string all = buffer_.substr(0, found + text.size());
        buffer_.erase(0, all.size());
        return all;
      }
      const std::string bytes = Read();
      if (bytes.empty()) return std::exchange(buffer_, {});
      buffer_ += bytes;
    }
  }
  std::string ReadExactly(size_t size) {
    while (buffer_.size() < size) {
      const std::string bytes = Read();
      if (bytes.empty()) break;
      buffer_ += bytes;
    }
    std::string all = buffer_.substr(0, size);
    buffer_.erase(0, all.size());
    return all;
  }
  // One answer with its body, chunked or of known length.
  RawAnswer ReadAnswer(bool to_head = false) {
    RawAnswer answer;
    answer.head = ReadUntil("\r\n\r\n");
    if (answer.head.size() < 12 || !answer.head.ends_with("\r\n\r\n")) return answer;
    answer.status = std::stoi(answer.head.substr(9, 3));
    answer.complete = true;
    if (to_head || answer.status == 204 || answer.status == 304 || answer.status < 200) return answer;
    if (const size_t at = answer.head.find("Content-Length: "); at != std::string::npos) {
      const size_t size = std::stoul(answer.head.substr(at + 16));
      answer.body = ReadExactly(size);
      answer.complete = answer.body.size() == size;
    } else if (answer.head.find("Transfer-Encoding: chunked") != std::string::npos) {
      while (answer.complete) {
        const std::string line = ReadUntil("\r\n");
        answer.complete = line.ends_with("\r\n");
        if (!answer.complete) break;
        const size_t size = std::stoul(line, nullptr, 16);
        const std::string chunk = ReadExactly(size + 2);
        answer.complete = chunk.size() == size + 2;
        answer.body += chunk.substr(0, std::min(size, chunk.size()));
        if (size == 0) break;
      }
    } else {
      answer.body = ReadToEnd();
    }
    return answer;
  }

 private:
  int socket_;
  std::string buffer_;
};

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
