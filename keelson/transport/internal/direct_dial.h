// Makes a connection for a DirectTransport.
#pragma once

#include <memory>

#include "keelson/core/result.h"
#include "keelson/transport/internal/curl_errors.h"
#include "keelson/transport/internal/direct_connection.h"
#include "keelson/transport/transport.h"

namespace keelson::internal {

struct DialOptions {
  const CurlEndpoint& endpoint;
  Duration keep_alive;       // between probes of a silent connection
  const StopToken& closing;  // the transport is being destroyed
  std::shared_ptr<TlsClientContext> tls = {};
};

// Looks the host up, connects and shakes hands. Of several addresses the next is tried beside the one before when that
// fails or takes longer than a moment; the first that connects is taken. Errors are those of Transport::Send, and say
// that nothing was sent.
Result<std::unique_ptr<DirectConnection>> Dial(const DialOptions& options, const CallScope& scope);

}  // namespace keelson::internal
