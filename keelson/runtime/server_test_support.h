// For tests: runs a server of a manager on a free port, and asks it.
//
//   HealthServer server({.bind_address = "127.0.0.1:0"});
//   const RunningServer running(server);
//   EXPECT_EQ(Ask(server.port(), "/healthz").body, "ok");
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "keelson/core/thread.h"
#include "keelson/runtime/runnable.h"
#include "keelson/transport/http_server_test_support.h"

namespace keelson {

// Ready when made, stopped when destroyed.
class RunningServer {
 public:
  explicit RunningServer(Runnable& server) : server_(server) {
    const Result<void> ready = server.WaitUntilReady({});
    EXPECT_TRUE(ready) << ready.error().message();
  }
  ~RunningServer() { Stop(); }

  void Stop() {
    if (!thread_.Joinable()) return;
    stop_.RequestStop();
    thread_.Join();
    EXPECT_TRUE(result_) << result_.error().message();
  }
  void Abort() { abort_.RequestStop(); }

 private:
  Runnable& server_;
  const StopSource stop_;
  const StopSource abort_;
  Result<void> result_;
  Thread thread_{"server", [this] { result_ = server_.Run({.stop = stop_.token(), .abort = abort_.token()}); }};
};

inline RawAnswer Ask(uint16_t port, std::string_view target, std::string_view method = "GET",
                     std::string_view headers = {}) {
  RawClient client(port);
  client.Send(std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n" + std::string(headers) +
              "Connection: close\r\n\r\n");
  return client.ReadAnswer(method == "HEAD");
}

// Of an answer's head; empty when it is not there.
inline std::string HeaderOf(const RawAnswer& answer, std::string_view name) {
  const std::string start = "\r\n" + std::string(name) + ": ";
  const size_t at = answer.head.find(start);
  if (at == std::string::npos) return {};
  const size_t from = at + start.size();
  return answer.head.substr(from, answer.head.find("\r\n", from) - from);
}

}  // namespace keelson
