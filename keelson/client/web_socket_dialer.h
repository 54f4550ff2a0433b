// Opens WebSockets to subresources of pods, as who the configuration says we are.
//
//   KEELSON_TRY(dialer, WebSocketDialer::Create(config));
//   KEELSON_TRY(exit_code, Exec(*dialer, {"default", "web"}, {.command = {"ls"}}));      // remote_command.h
//   KEELSON_TRY(forward, PortForward::Start(dialer, {"default", "web"}, {.port = 8080}));  // port_forward.h
#pragma once

#include <memory>
#include <string_view>

#include "keelson/api/object_key.h"
#include "keelson/client/config.h"
#include "keelson/client/paths.h"
#include "keelson/transport/web_socket.h"

namespace keelson {

// Thread-safe.
class WebSocketDialer {
 public:
  // Errors as of MakeTransport. Request metrics are not kept, as in Go.
  static Result<std::shared_ptr<WebSocketDialer>> Create(const ClientConfig& config);

  // `subprotocols` as in the header: in order of preference, with commas. An empty namespace is the configuration's.
  // Errors: those of the server, with its Status; kUnavailable when it cannot be reached. Refused credentials are
  // renewed and 429 and 503 with Retry-After waited for; a request that may have reached the server is not sent again.
  Result<std::unique_ptr<WebSocket>> DialPod(const ObjectKey& pod, std::string_view subresource, const Query& query,
                                             std::string_view subprotocols, const CallScope& scope);

 private:
  WebSocketDialer(std::shared_ptr<Transport> transport, std::string namespace_)
      : transport_(std::move(transport)), namespace_(std::move(namespace_)) {}

  const std::shared_ptr<Transport> transport_;
  const std::string namespace_;
};

}  // namespace keelson
