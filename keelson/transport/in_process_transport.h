// A transport without sockets: Send is a call of the handler on the same thread.
//
//   InProcessTransport transport(handler);
//
// What the handler writes later, from other threads, the body's reader waits for: by the seam, so that it works in a
// simulation too.
#pragma once

#include <memory>
#include <utility>

#include "keelson/transport/handler.h"
#include "keelson/transport/transport.h"

namespace keelson {

class InProcessTransport final : public Transport {
 public:
  // `peer` is what the handler is told about the client. The handler outlives the transport and all open bodies.
  explicit InProcessTransport(HttpHandler& handler, Peer peer = {.address = "in-process"})
      : handler_(handler), peer_(std::make_shared<const Peer>(std::move(peer))) {}

  Result<HttpResponse> Send(HttpRequest request, const CallScope& scope) override;

 private:
  HttpHandler& handler_;
  const std::shared_ptr<const Peer> peer_;
};

}  // namespace keelson
