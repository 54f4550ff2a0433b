// What TLS needs to know, on both sides.
#pragma once

#include <string>

#include "keelson/core/result.h"

namespace keelson {

// Text in PEM, or the file that holds it and is read again when it changes. The text wins.
struct PemSource {
  std::string text = {};
  std::string file = {};

  bool empty() const { return text.empty() && file.empty(); }
};

struct TlsClientOptions {
  PemSource ca = {};           // whom to trust; empty: the system's authorities
  PemSource certificate = {};  // our own, with its chain
  PemSource key = {};
  std::string server_name = {};  // expected in the server's certificate and sent as SNI; empty: the host of the URL
  bool insecure_skip_verify = false;
};

struct TlsServerOptions {
  PemSource certificate = {};
  PemSource key = {};
  PemSource client_ca = {};  // empty: client certificates are not asked for
  // With a client CA: clients without a certificate are refused; one that fails is refused either way.
  bool require_client_certificate = false;
};

}  // namespace keelson
