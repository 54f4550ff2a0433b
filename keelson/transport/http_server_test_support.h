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
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
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

}  // namespace keelson
