#include "keelson/transport/web_socket.h"

#include <utility>

#include "keelson/core/internal/scheduler.h"
#include "keelson/transport/internal/web_socket_session.h"

namespace keelson {

WebSocket::WebSocket(std::unique_ptr<internal::WebSocketSession> session) : session_(std::move(session)) {}

WebSocket::~WebSocket() = default;

Result<std::unique_ptr<WebSocket>> WebSocket::Connect(WebSocketOptions options, HttpRequest request,
                                                      const CallScope& scope) {
  if (internal::CurrentScheduler() != nullptr) {
    return Error::InvalidArgument("a WebSocket cannot be opened inside a simulation: it needs real sockets");
  }
  if (scope.stop.StopRequested()) return Error::Cancelled("opening a WebSocket was stopped");
  KEELSON_RETURN_IF_ERROR(internal::CheckUpgradeRequest(request));
  KEELSON_TRY(target, internal::ResolveClientStreamTarget(options.server, options.tls, options.proxy_url,
                                                          options.unix_socket, options.connect_timeout));
  auto session =
      std::make_unique<internal::WebSocketSession>(std::move(options), std::move(target), std::move(request));
  KEELSON_RETURN_IF_ERROR(session->Connect(scope));
  return std::unique_ptr<WebSocket>(new WebSocket(std::move(session)));
}

const std::string& WebSocket::subprotocol() const& { return session_->subprotocol(); }

Result<void> WebSocket::Send(std::string bytes, const CallScope& scope) {
  return session_->Send(std::move(bytes), scope);
}

Result<WebSocketMessage> WebSocket::Receive(const CallScope& scope) { return session_->Receive(scope); }

void WebSocket::Close(uint16_t code, std::string_view reason, const CallScope& scope) {
  session_->Close(code, reason, scope);
}

void WebSocket::Abort() { session_->Abort(); }

}  // namespace keelson
