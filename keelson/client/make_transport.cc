// Apart from config.cc, so that who brings a transport of their own need not link libcurl.
#include <utility>

#include "keelson/client/config.h"
#include "keelson/client/transport_family.h"
#include "keelson/transport/socket_transport.h"

namespace keelson {

Result<TransportFamily> TransportFamily::Connect(const ClientConfig& config) {
  KEELSON_TRY(made, SocketTransport::Create({.server = config.server,
                                             .tls = config.tls,
                                             .proxy_url = config.proxy_url,
                                             .unix_socket = config.unix_socket,
                                             .disable_compression = config.disable_compression}));
  std::shared_ptr<SocketTransport> sockets = std::move(made);
  return Over(sockets, config, [sockets](PemSource certificate, PemSource key) {
    return sockets->SetClientCertificate(std::move(certificate), std::move(key));
  });
}

Result<std::shared_ptr<Transport>> MakeTransport(const ClientConfig& config) {
  KEELSON_TRY(family, TransportFamily::Connect(config));
  return family.NewTransport();
}

}  // namespace keelson
