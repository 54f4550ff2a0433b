// One request and its answer over a connection of a DirectTransport, on the caller's thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "keelson/transport/internal/direct_pool.h"
#include "keelson/transport/internal/http1_response_parser.h"
#include "keelson/transport/transport.h"

namespace keelson::internal {

// Sends the request and reads until status and headers are there. Once more, on a new connection, when a kept one turns
// out to be dead and the first time cannot have had an effect.
Result<HttpResponse> SendDirectly(std::shared_ptr<DirectPool> pool, const HttpRequest& request, const CallScope& scope);

}  // namespace keelson::internal
