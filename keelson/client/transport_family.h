// Several transports of one configuration, which share all that there should be one of.
//
//   KEELSON_TRY(family, TransportFamily::Connect(config));
//   Client plain(family.NewTransport());
//   Client fenced(family.NewTransport([&](auto inner) { return std::make_shared<FencedTransport>(inner, fence); }));
//
// Shared are connections, credentials (an exec plugin runs once for all), the rate limit and metrics. What a wrapper
// adds stands next to the base, below retries, so it sees each try of a request.
//
//   base → wrapper → credentials, impersonation, user agent → rate limit → metrics → retry → warnings → timeout
#pragma once

#include <functional>
#include <memory>

#include "keelson/client/config.h"
#include "keelson/transport/transport_wrapper.h"

namespace keelson {

// A handle: cheap to copy, thread-safe.
class TransportFamily {
 public:
  // Over sockets. Errors: a malformed URL, unreadable certificates, an unknown kind of exec plugin. Nothing is sent
  // yet.
  static Result<TransportFamily> Connect(const ClientConfig& config);
  // Over a transport that is there already. `use_certificate` as for WrapTransport.
  static Result<TransportFamily> Over(
      std::shared_ptr<Transport> base, const ClientConfig& config,
      std::function<Result<void>(PemSource certificate, PemSource key)> use_certificate = {});

  std::shared_ptr<Transport> NewTransport(const TransportWrapper& wrapper = {}) const;

 private:
  struct Parts;
  explicit TransportFamily(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

  std::shared_ptr<const Parts> parts_;
};

}  // namespace keelson
