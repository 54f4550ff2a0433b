// A server in the test's own process and short ways to ask it something.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "keelson/api/json.h"
#include "keelson/apiserver/api_server.h"
#include "keelson/codec/json_reader.h"
#include "keelson/codec/json_writer.h"
#include "keelson/core/clock.h"
#include "keelson/transport/in_process_transport.h"

namespace keelson::apiserver {

struct Reading {
  int status = 0;
  Headers headers = {};
  std::string body = {};
  Json json = {};  // null when the body is none

  // The member at that path of dots: "metadata.name"; null when it is not there.
  Json At(std::string_view path) const {
    const Json* at = &json;
    while (at != nullptr && !path.empty()) {
      const size_t dot = std::min(path.find('.'), path.size());
      at = at->find(path.substr(0, dot));
      path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return at == nullptr ? Json() : *at;
  }
  // The elements of a list or members of an object.
  size_t Count(std::string_view path) const {
    const Json value = At(path);
    return value.is_list() ? value.list().size() : value.is_object() ? value.object().size() : 0;
  }
  std::string Text(std::string_view path) const {
    const Json value = At(path);
    return value.is_string() ? value.string().str() : ToJson(value);
  }
};

class TestServer {
 public:
  explicit TestServer(ApiServerOptions options = {}) : server_(Made(std::move(options))) {}

  Reading Ask(std::string method, std::string target, std::string body = {}, Headers headers = {}) {
    if (!body.empty() && headers.Find("Content-Type") == nullptr) headers.Add("Content-Type", "application/json");
    return AskAs({.address = "in-process", .common_name = "admin", .organizations = {"system:masters"}},
                 std::move(method), std::move(target), std::move(body), std::move(headers));
  }
  Reading AskAs(Peer peer, std::string method, std::string target, std::string body = {}, Headers headers = {}) {
    InProcessTransport transport(*server_, std::move(peer));
    Result<HttpResponse> response = transport.Send({.method = std::move(method),
                                                    .target = std::move(target),
                                                    .headers = std::move(headers),
                                                    .body = std::move(body)},
                                                   {.stop = {}, .deadline = Clock::Now() + std::chrono::seconds(30)});
    Reading reading;
    if (!response) {
      ADD_FAILURE() << response.error().message();
      return reading;
    }
    reading.status = response->status;
    reading.headers = response->headers;
    Result<std::string> text = ReadAll(*response->body, size_t{64} << 20);
    if (text) reading.body = std::move(*text);
    if (Result<Json> parsed = ParseJson(reading.body)) reading.json = std::move(*parsed);
    return reading;
  }

  Reading Patch(std::string target, std::string body, std::string_view kind = "merge") {
    return Ask("PATCH", std::move(target), std::move(body),
               {{"Content-Type", "application/" + std::string(kind) + "-patch+json"}});
  }

  ApiServer& operator*() { return *server_; }
  ApiServer* operator->() { return server_.get(); }

 private:
  static std::unique_ptr<ApiServer> Made(ApiServerOptions options) {
    Result<std::unique_ptr<ApiServer>> server = ApiServer::Make(std::move(options));
    if (!server) ADD_FAILURE() << server.error().message();
    return server ? std::move(*server) : nullptr;
  }

  const std::unique_ptr<ApiServer> server_;
};

}  // namespace keelson::apiserver
