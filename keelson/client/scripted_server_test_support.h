// For tests of clients: a server in the same process that gives answers in the order of a script and keeps what it was
// asked. Answers can be what a real kube-apiserver gave (tests/data/client/exchanges.jsonl, written by record there).
//
//   ScriptedServer server;
//   server.AnswerRecorded("get");                       // expects that exchange's method, target and headers
//   server.Answer(404, "text/plain", "404 page not found");
//   Client client = server.client();
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "keelson/client/client.h"
#include "keelson/codec/json_reader.h"
#include "keelson/core/mutex.h"
#include "keelson/transport/in_process_transport.h"

namespace keelson {

inline std::string FromBase64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return bytes;
}

struct RecordedExchange {
  std::string method, target, accept, content_type, request;
  int status = 0;
  Headers headers;
  std::string body;
};

// Ends the test program when there is none of that name.
inline RecordedExchange Recorded(std::string_view name) {
  static const auto& all = *[] {
    auto* exchanges = new std::map<std::string, RecordedExchange, std::less<>>;
    std::ifstream file(KEELSON_TEST_DATA "/client/exchanges.jsonl");
    for (std::string line; std::getline(file, line);) {
      const Json record = ParseJson(line).value();
      const auto text = [&](std::string_view key) {
        const Json* value = record.find(key);
        return value == nullptr ? std::string() : value->string().str();
      };
      RecordedExchange exchange{.method = text("method"),
                                .target = text("target"),
                                .accept = text("accept"),
                                .content_type = text("content_type"),
                                .request = text("request"),
                                .status = static_cast<int>(record.find("status")->integer()),
                                .headers = {},
                                .body = text("body")};
      if (record.find("body_base64") != nullptr) exchange.body = FromBase64(text("body_base64"));
      for (const auto& [key, value] : record.find("headers")->object()) {
        exchange.headers.Add(key.str(), value.string().str());
      }
      exchanges->emplace(text("name"), std::move(exchange));
    }
    return exchanges;
  }();
  return all.at(std::string(name));
}

class ScriptedServer final : public HttpHandler {
 public:
  ~ScriptedServer() override { EXPECT_TRUE(script_.empty()) << script_.size() << " answers were not asked for"; }

  void Answer(int status, Headers headers, std::string body) {
    MutexLock lock(mutex_);
    script_.push_back({.expected = {}, .status = status, .headers = std::move(headers), .body = std::move(body)});
  }
  void AnswerJson(int status, std::string body) {
    Answer(status, {{"Content-Type", "application/json"}}, std::move(body));
  }
  // Also expects the request that was recorded with it; `target`, where given, instead of the recorded one.
  void AnswerRecorded(std::string_view name, std::string target = {}) {
    RecordedExchange exchange = Recorded(name);
    if (!target.empty()) exchange.target = std::move(target);
    MutexLock lock(mutex_);
    Step step{.expected = exchange, .status = exchange.status, .headers = exchange.headers, .body = exchange.body};
    script_.push_back(std::move(step));
  }
  // Bytes in one part of an answer.
  void CutInto(size_t chunk) { chunk_ = chunk; }

  Client client(ClientOptions options = {}) {
    return Client(std::make_shared<InProcessTransport>(*this), std::move(options));
  }

  std::vector<ServerRequest> requests() {
    MutexLock lock(mutex_);
    return requests_;
  }
  ServerRequest last() { return requests().back(); }
  // "GET /path?query"
  std::string last_line() {
    const ServerRequest request = last();
    return request.method + " " + request.path + (request.query.empty() ? "" : "?" + request.query);
  }
  std::string last_header(std::string_view name) {
    const ServerRequest request = last();
    const std::string_view* value = request.headers.Find(name);
    return std::string(value == nullptr ? "" : *value);
  }

  void Handle(ServerRequest request, std::shared_ptr<ResponseWriter> response) override {
    Step step{.expected = {}, .status = 500, .headers = {}, .body = "nothing left in the script"};
    {
      MutexLock lock(mutex_);
      requests_.push_back(request);
      if (script_.empty()) {
        ADD_FAILURE() << "not in the script: " << request.method << " " << request.path << "?" << request.query;
      } else {
        step = std::move(script_.front());
        script_.pop_front();
      }
    }
    if (!step.expected.method.empty()) Compare(step.expected, request);
    response->Start(step.status, step.headers);
    for (size_t at = 0; at < step.body.size(); at += chunk_) response->Write(String(step.body.substr(at, chunk_)));
    response->Finish();
  }

 private:
  struct Step {
    RecordedExchange expected;
    int status;
    Headers headers;
    std::string body;
  };

  static void Compare(const RecordedExchange& expected, const ServerRequest& found) {
    const auto header = [&](std::string_view name) {
      const std::string_view* value = found.headers.Find(name);
      return std::string(value == nullptr ? "" : *value);
    };
    EXPECT_EQ(found.method, expected.method);
    EXPECT_EQ(found.path + (found.query.empty() ? "" : "?" + found.query), expected.target);
    EXPECT_EQ(header("Accept"), expected.accept);
    EXPECT_EQ(header("Content-Type"), expected.content_type);
  }

  Mutex mutex_;
  std::deque<Step> script_;
  std::vector<ServerRequest> requests_;
  size_t chunk_ = 1 << 20;
};

}  // namespace keelson
